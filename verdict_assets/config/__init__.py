"""What a run is told: parameters, studies, paths, and the fingerprints made of them. No computation here."""
