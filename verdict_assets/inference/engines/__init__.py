"""Engines: what stands between a request and a model. One file an engine, all behind `protocol.Engine`."""
