"""The parts of the in-process engine: `transformers_engine.py` puts them together. Torch is imported nowhere else."""
