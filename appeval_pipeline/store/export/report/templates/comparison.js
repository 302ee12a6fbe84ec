// Any two listed versions of an app beside each other, from their stored numbers and scenarios.

const chosen = { app: $("compare-app"), old: $("compare-old"), new: $("compare-new") };
const compared = () => {
  const byApp = new Map();
  for (const { app, version } of Object.values(facts().partitions)) {
    if (app) byApp.set(app, [...(byApp.get(app) ?? []), version]);
  }
  return byApp;
};
let versionsByApp;

function fill(select, values, value) {
  select.replaceChildren(...values.map((one) => element("option", { value: one }, String(one))));
  select.value = String(value);
}

function showComparison(app, old, newer) {
  versionsByApp ??= compared();
  const versions = versionsByApp.get(app);
  if (!versions) return false;
  if (!chosen.app.options.length) fill(chosen.app, [...versionsByApp.keys()], app);
  chosen.app.value = app;
  const last = versions[versions.length - 1];
  const before = versions.includes(old) ? old : versions[versions.length - 2] ?? last;
  const after = versions.includes(newer) ? newer : last;
  fill(chosen.old, versions, before);
  fill(chosen.new, versions, after);
  const [first, second] = before <= after ? [before, after] : [after, before];
  $("comparison").replaceChildren(...comparisonOf(app, first, second, before > after));
  return true;
}

function comparisonOf(app, old, newer, turned) {
  $("compared").textContent = `${app}: version ${old} → ${newer}`;
  if (old === newer) return [muted("Choose two different versions.")];
  const [before, after] = [old, newer].map((version) => facts().partitions[`${app}@${version}`]);
  return [
    turned ? muted("The lower version is taken as the old one.") : null,
    element("p", {}, ...[old, newer].map((version) => element(
      "button",
      { type: "button", class: "plain", "data-partition": `${app}@${version}` },
      `What version ${version} rests on`,
    ))),
    ...interfacePart(app, old, newer),
    ...scenarioPart(before, after),
    ...numberPart(before, after, old, newer),
    ...leftOutNote(before, after),
  ].filter(Boolean);
}

function interfacePart(app, old, newer) {
  const heading = element("h4", {}, "Interface");
  const pair = (interfaces().pairs[app] ?? []).find(([from, to]) => from === old && to === newer);
  if (!pair) {
    return [heading, muted(
      `Interfaces were compared when the page was made: of the latest ${interfaces().max_versions} valid versions of an app, as far as space allowed. For these two:`,
    ), element("p", {}, code(`appeval compare ${app} ${old} ${newer}`))];
  }
  const [, , places, leftOut] = pair;
  if (!places.length) return [heading, element("p", { class: "good" }, "No change.")];
  const rows = places.map((place) => interfaces().changes[place]).map(([severity, location, message]) => [
    element("span", { class: { breaking: "bad", warning: "fair" }[severity] ?? null }, severity),
    message,
    code(location),
  ]);
  return [
    heading,
    table("What differs for those who call the app", [{ name: "severity" }, { name: "change" }, { name: "where" }], rows),
    leftOut ? muted(`… and ${count(leftOut, "change")} more: appeval compare ${app} ${old} ${newer}`) : null,
  ];
}

function scenariosOf(partition) {
  const found = new Map();
  for (let place = 0; place < partition.scenarios.length; place += 3) {
    const [scenario, status, outcome] = partition.scenarios.slice(place, place + 3);
    found.set(scenario, { status, outcome });
  }
  return found;
}

const VERDICTS = {
  "newly failing": "bad", "newly passing": "good", "still failing": "fair", "other results": null,
  "only in the old": null, "only in the new": null,
};

function verdict(before, after) {
  if (!before) return "only in the new";
  if (!after) return "only in the old";
  const [passed, passes] = [before, after].map(({ status }) => status === "passed");
  if (passed !== passes) return passes ? "newly passing" : "newly failing";
  if (!passes) return "still failing";
  return before.outcome === after.outcome ? "" : "other results";
}

function scenarioPart(before, after) {
  const [old, newer] = [before, after].map(scenariosOf);
  const all = [...new Set([...old.keys(), ...newer.keys()])];
  const judged = all.map((scenario) => [verdict(old.get(scenario), newer.get(scenario)), scenario]);
  const order = Object.keys(VERDICTS);
  const told = judged.filter(([words]) => words).sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const same = all.length - told.length;
  const status = (found) => found?.status.replace("_", " ") ?? "–";
  const rows = told.map(([words, scenario]) => {
    const [name, file] = facts().scenarios[scenario];
    return [
      element("span", {}, element("bdi", {}, name), element("br"), element("small", { class: "muted" }, element("bdi", {}, file))),
      element("span", { class: VERDICTS[words] }, words),
      status(old.get(scenario)),
      status(newer.get(scenario)),
    ];
  });
  return [
    element("h4", {}, "Scenarios"),
    rows.length
      ? table("Other results: it passes in both, and some step returned, changed or told something else", [{ name: "scenario" }, { name: "verdict" }, { name: "before" }, { name: "after" }], rows)
      : null,
    muted(same ? `${count(same, "scenario")} with the same results.` : rows.length ? "" : "No scenario applies to either."),
  ];
}

const MEASURED = ["benchmark_results", "agent_evaluations"];

function numberPart(before, after, old, newer) {
  const [was, is] = [before, after].map((partition) => new Map(numbersOf(partition).map((one) => [one.name, one])));
  const names = [...new Set([...was.keys(), ...is.keys()])].sort();
  const rows = { said: [], measured: [] };
  for (const name of names) {
    const { unit, better, owner } = is.get(name) ?? was.get(name);
    const [from, to] = [was.get(name)?.value, is.get(name)?.value];
    if (from === to || owner === "regression_reports") continue; // these are comparisons themselves
    const difference = from === undefined || to === undefined ? null : to - from;
    const colour = difference === null || !better ? null : difference * better > 0 ? "good" : "bad";
    const sign = difference > 0 ? "+" : "";
    rows[MEASURED.includes(owner) ? "measured" : "said"].push([name, shown(from, unit), shown(to, unit),
      element("span", { class: colour }, difference === null ? "–" : sign + shown(Number(difference.toPrecision(6))))]);
  }
  const columns = [{ name: "number" }, ...[old, newer].map((version) => ({ name: `version ${version}`, kind: "n" })), { name: "difference", kind: "n" }];
  const { said, measured } = rows;
  return [
    element("h4", {}, "Numbers"),
    said.length ? table("Numbers that differ", columns, said) : muted("No number of definition, quality, scenarios, coverage or edge cases differs."),
    measured.length
      ? element("details", {}, element("summary", {}, `${count(measured.length, "number")} of benchmarks and agents`),
        table("Times were measured at different moments, perhaps on different machines; multiples of the calibration loop compare", columns, measured))
      : null,
  ];
}

function compareChosen(changed) {
  const [old, newer] = changed === chosen.app ? [] : [chosen.old, chosen.new].map(({ value }) => Number(value));
  showComparison(chosen.app.value, old, newer);
  putAddress(`#compare=${encodeURIComponent(chosen.app.value)}@${chosen.old.value}..${chosen.new.value}`);
}

if ($("compare")) {
  for (const select of Object.values(chosen)) select.addEventListener("change", () => compareChosen(select));
  const apps = compared();
  const first = [...apps.keys()].find((app) => apps.get(app).length > 1) ?? [...apps.keys()][0];
  if (first) showComparison(first);
}
