"""The parts of the in-process engine, put together by `transformers_engine.py`; torch is imported here alone.

The one setting below has to be made before torch is loaded, so it stands where every import of a part passes.
"""

import os

# Threads of torch that wait for each other spin by default. Where other processes want the same cores, they
# spin away the time of the one they wait for: on two busy cores a batch took ten times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
