"""Asking models: requests and their keys, the store of answers, parsers of replies, engines, prompts.

Nothing here knows a verification strategy, and nothing in `verification` knows an engine.
"""
