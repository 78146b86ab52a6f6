import os

# Before numpy is loaded: for our small products its BLAS would wake a thread for every core, and these spin on for
# milliseconds where the next question's model wants to run. At 10,000 passages an answer took 61 ms with them and 50
# without.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
