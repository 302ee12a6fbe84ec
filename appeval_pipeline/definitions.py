"""The code location: one Definitions object, from the environment's settings as they are when it loads."""

from appeval_pipeline.defs.build import build_definitions
from appeval_pipeline.settings import load_settings

defs = build_definitions(load_settings())
