"""Examples for the OpenAPI document; a test holds each against its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic.config import JsonDict

_AT: Final = "2026-01-02T12:00:00Z"
_HASH: Final = "6e13f5f067c3c1f1a5a5e39d2a9dbe20dfb3a4cf0d8f1b6b2f8e6f4a1c0d9e7b"
_RUN: Final = "604b4d8a-27d9-4793-8a3f-3ad7b851c6eb"


def _source(asset_key: str) -> JsonDict:
    return {
        "asset_key": asset_key,
        "partition_key": "paypal@2",
        "data_version": _HASH,
        "run_id": _RUN,
        "materialized_at": _AT,
    }


QUALITY: Final[JsonDict] = {
    "app_id": "paypal",
    "version": 2,
    "status": "scored",
    "overall_score": 95.0,
    "level": "Excellent",
    "dimension_scores": {"documentation": 100.0, "validation": 75.0},
    "details": {"documentation": {"actions": 5, "described": 5, "undescribed": []}},
    "suggestions": [
        {
            "position": 0,
            "dimension": "validation",
            "location": "actions.view_transactions",
            "message": "Validate a parameter of action 'view_transactions'",
            "gain": 5.0,
        }
    ],
    "suggestions_left_out": 0,
    "error": None,
    "source": _source("quality_scores"),
}
CALL: Final[JsonDict] = {
    "agent_id": "alice",
    "action": "transfer",
    "params": {"to": "bob", "amount": 30},
    "state": {
        "per_agent": {
            "alice": {"balance": 100, "transactions": []},
            "bob": {"balance": 5, "transactions": []},
        },
        "shared": {},
    },
}
CALLED: Final[JsonDict] = {
    "app_id": "paypal",
    "version": 2,
    "success": True,
    "data": {"new_balance": 70, "to": "bob", "amount": 30},
    "error": None,
    "error_kind": None,
    "error_at": None,
    "state_after": {"per_agent": {"alice": {"balance": 70}, "bob": {"balance": 35}}, "shared": {}},
    "observations": [{"agent_id": "bob", "message": "alice sent you $30"}],
    "observations_dropped": 0,
    "trace": [],
    "duration_ms": 0.021,
    "deterministic": True,
    "source": _source("app_definitions"),
}
RUN: Final[JsonDict] = {
    "run_id": _RUN,
    "state": "running",
    "partition_keys": ["paypal@2"],
    "assets": ["coverage_reports", "edge_case_reports", "scenario_runs"],
    "created_at": _AT,
    "started_at": "2026-01-02T12:00:04Z",
    "ended_at": None,
    "materialized": [
        {
            "asset_key": "scenario_runs",
            "partition_key": "paypal@2",
            "data_version": _HASH,
            "at": "2026-01-02T12:00:05Z",
        }
    ],
    "failures": [],
}
EXAMPLES: Final[Mapping[str, JsonDict]] = {
    "QualityAnswer": QUALITY,
    "CallRequest": CALL,
    "CallAnswer": CALLED,
    "RunAnswer": RUN,
}
"""By the type's name. They are not in the types: examples lose their nulls on the way from there."""
