"""The process of `appeval serve`: host and port are its arguments, all else comes from the environment."""

import sys

from appeval_pipeline.errors import AppEvalError


def main() -> None:
    """Serve; Ctrl-C is how one ends it."""
    from appeval_pipeline.api.serving import serve
    from appeval_pipeline.settings import load_settings

    _, host, port = sys.argv
    try:
        serve(load_settings(env_file=None), host, int(port))
    except KeyboardInterrupt:
        pass
    except AppEvalError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()
