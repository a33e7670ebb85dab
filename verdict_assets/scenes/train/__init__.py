"""Training of the tiny models that live in the scenes world, from scratch, on a CPU.

Belongs here: everything that needs torch to make weights. Needs the ``models`` extra; serving the weights is
``inference.engines``' business.
"""
