"""The HTTP API: stored results to read, actions to try, and runs to start, over HTTP and as typed JSON.

It needs the extra ``api``. Reads see one published snapshot each; whatever stores something starts the
Dagster job that the UI would start, so that all that is stored has lineage.
"""
