"""One partition an app version, ``<app_id>@<version>``, added as versions are found."""

import dagster as dg

app_versions = dg.DynamicPartitionsDefinition(name="app_versions")
