"""The scenes world: rendered pictures with questions whose every reasoning step has a known truth.

Belongs here: the generator, its language, the step oracle and, under ``train``, the tiny models that live
in it. Does not belong here: loading of benchmark files (``benchmarks``) and anything about judging rules.
"""
