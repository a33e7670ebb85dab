"""VERDICT as a reproducible research pipeline: step-wise verification of multimodal reasoning."""
