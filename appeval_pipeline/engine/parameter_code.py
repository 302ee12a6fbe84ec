"""The code that checks and takes apart an action's parameters."""

from __future__ import annotations

from appeval_pipeline.appdef.schema import ActionDefinition, ParamSpec
from appeval_pipeline.engine.roots import parameter_local
from appeval_pipeline.expr.limits import MAX_INPUT_CHARACTERS, MAX_NUMBER
from appeval_pipeline.expr.writing import Writer

_PYTHON_TYPES = {"string": "str", "boolean": "bool"}


def write_parameters(action: ActionDefinition, writer: Writer, names: dict[str, object]) -> None:
    """Write the code that puts each parameter into its local; ``names`` gets what that code refers to.

    What usual values need is tested in line; all else is left to the full check, which words the error.
    """
    # A dict rather than a frozenset: errors list the names in the order of the definition.
    names["KNOWN"] = dict.fromkeys(action.parameters)
    names["KNOWN_SET"] = frozenset(action.parameters)
    with writer.block("if not KNOWN_SET.issuperset(params):"):
        writer.line("unknown_parameter(params, KNOWN)")
    for position, (name, spec) in enumerate(action.parameters.items()):
        local, spec_name = parameter_local(position), f"spec{position}"
        names[spec_name] = spec
        writer.line(f"{local} = params.get({name!r})")
        with writer.block(f"if {local} is None:"):
            _missing(name, spec, local, spec_name, writer)
        fits = _fits(spec, local, spec_name, names)
        check = f"{local} = checked_parameter({name!r}, {spec_name}, {local})"
        with writer.block(f"elif not ({fits}):" if fits else "else:"):
            writer.line(check)


def _missing(name: str, spec: ParamSpec, local: str, spec_name: str, writer: Writer) -> None:
    match spec.default:
        case None if spec.required:
            writer.line(f"missing_parameter({name!r})")
        case list() | dict():
            writer.line(f"{local} = copy_plain({spec_name}.default)")
        case default:
            writer.line(f"{local} = {default!r}")


def _fits(spec: ParamSpec, local: str, spec_name: str, names: dict[str, object]) -> str:
    """A cheap test that holds only for values that surely fit; empty where there is none."""
    if spec.enum is not None and spec.type != "string":
        return ""
    match spec.type:
        case "number":
            low = -MAX_NUMBER if spec.min_value is None else max(spec.min_value, -MAX_NUMBER)
            high = MAX_NUMBER if spec.max_value is None else min(spec.max_value, MAX_NUMBER)
            return f"type({local}) is int and {low!r} <= {local} <= {high!r}"
        case "string":
            test = f"type({local}) is str"
            most = MAX_INPUT_CHARACTERS if spec.max_length is None else spec.max_length
            least = f"{spec.min_length} <= " if spec.min_length else ""
            test = f"{test} and {least}len({local}) <= {min(most, MAX_INPUT_CHARACTERS)}"
            if spec.pattern is not None:
                test += f" and matches({spec.pattern!r}, {local})"
            if spec.enum is not None:
                names[f"{spec_name}_enum"] = {option for option in spec.enum if isinstance(option, str)}
                test += f" and {local} in {spec_name}_enum"
            return test
        case "boolean":
            return f"{local} is True or {local} is False"
        case _:
            return ""
