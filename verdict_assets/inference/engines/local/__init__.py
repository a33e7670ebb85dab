"""The parts of the in-process engine, put together by `transformers_engine.py`."""
