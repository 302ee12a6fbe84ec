// One trial of an agent, one step at a time.

const viewer = $("viewer");
const OUTCOMES = { passed: ["✓", "good"], failed: ["✗", "bad"], broken: ["!", "fair"] };
let current = { trial: null, step: 0 };

function fillTrials() {
  const groups = new Map();
  trials().forEach((trial, place) => {
    const label = `${trial.partition} · ${trial.task}`;
    const option = element("option", { value: place }, `${OUTCOMES[trial.outcome][0]} ${trial.agent} ${trial.number} · ${trial.task}`);
    groups.set(label, [...(groups.get(label) ?? []), option]);
  });
  $("trial-choice").replaceChildren(
    ...[...groups].map(([label, options]) => element("optgroup", { label }, options)),
  );
}

function showTrial(id, step) {
  const place = trials().findIndex((trial) => trial.id === id);
  if (place < 0) return false;
  const trial = trials()[place];
  $("trial-choice").value = String(place);
  $("previous-trial").disabled = place === 0;
  $("next-trial").disabled = place === trials().length - 1;
  current = { trial, step: 0 };
  $("trial-view").replaceChildren(...trialElements(trial));
  goTo(step ?? 0, false);
  return true;
}

function trialElements(trial) {
  const [mark, colour] = OUTCOMES[trial.outcome];
  const reward = trial.reward === null ? "no reward" : `reward ${shown(trial.reward)}`;
  return [
    element("h3", { id: "trial-title", tabindex: "-1" }, element("bdi", {}, trial.task), " ",
      element("span", { class: `badge ${colour}` }, `${mark} ${trial.outcome}`)),
    element("p", {}, element("bdi", {}, trial.agent || "agent"), `, trial ${trial.number} on `, element("bdi", {}, trial.partition),
      `: ${trial.why}; ${reward}; ${count(trial.step_count, "step")}.`),
    faultsElement(trial),
    element("details", {}, element("summary", {}, "About this trial"),
      element("dl", { class: "about" }, trial.facts.map(([name, text]) =>
        [element("dt", {}, name), element("dd", {}, element("bdi", {}, text))])),
      element("p", {}, element("button", { type: "button", class: "plain", "data-partition": trial.partition, "data-asset": trial.asset }, "What it rests on"))),
    trial.steps.length ? stepBar(trial) : muted("The agent took no step."),
    element("ol", { id: "steps", class: "steps" }, trial.steps.map((step, place) => stepElement(trial, step, place))),
    leftOutElement(trial),
  ].filter(Boolean);
}

function faultsElement(trial) {
  if (!trial.faults.length) return null;
  return element("ul", { class: "faults" }, trial.faults.map(({ kind, step, detail }) => element("li", {},
    element("strong", { class: "bad" }, kind.replaceAll("_", " ")), " ",
    step === null ? null : element("button", { type: "button", class: "plain", click: () => goToIndex(step) }, `step ${step + 1}`),
    " ", element("bdi", {}, detail))));
}

function leftOutElement(trial) {
  const leftOut = trial.step_count - trial.steps.length;
  if (leftOut <= 0) return null;
  return element("p", { class: "muted" }, `${count(leftOut, "step")} in the middle left out here. For appeval sql, all of them: `, code(trial.query));
}

function stepBar(trial) {
  const buttons = trial.steps.map((step, place) => {
    const kind = step.failed ? "bad" : step.changes.length || step.written.length ? "writes" : "reads";
    const words = `Step ${step.index + 1}, ${step.action}${step.failed ? ", failed" : kind === "writes" ? ", changed something" : ""}`;
    return element("button", { type: "button", class: `dot ${kind}`, "aria-label": words, title: words, tabindex: "-1", click: () => goTo(place, true) }, String(step.index + 1));
  });
  return element("div", { class: "stepbar" },
    element("button", { type: "button", id: "previous-step", "aria-label": "Previous step", click: () => goTo(current.step - 1, true) }, "‹ Step"),
    element("span", { id: "step-place", role: "status" }),
    element("button", { type: "button", id: "next-step", "aria-label": "Next step", click: () => goTo(current.step + 1, true) }, "Step ›"),
    element("label", {}, element("input", { type: "checkbox", id: "all-steps", click: showAll }), " all steps"),
    element("div", { id: "dots", class: "dots", role: "group", "aria-label": "Steps" }, buttons));
}

function showAll() {
  $("steps").classList.toggle("all", $("all-steps").checked);
}

const part = (name, ...content) => [element("dt", {}, name), element("dd", {}, ...content)];
const text = (content) => element("pre", {}, content);

function stepElement(trial, step, place) {
  const before = place ? trial.steps[place - 1].index : -1;
  const skipped = step.index - before - 1;
  const nothing = !step.changes.length && !step.written.length;
  return element("li", { value: step.index + 1, hidden: true },
    skipped > 0 ? muted(`… ${count(skipped, "step")} left out …`) : null,
    element("h4", {}, `Step ${step.index + 1}: `, element("bdi", {}, code(step.action)), step.failed ? element("span", { class: "bad" }, " failed") : null),
    element("dl", {},
      step.arguments ? part("arguments", text(step.arguments)) : [],
      step.said ? part("said", text(step.said)) : [],
      step.error ? part("error", element("pre", { class: "bad" }, step.error)) : [],
      step.observation && step.observation !== step.error ? part("answer", text(step.observation)) : [],
      step.changes.length ? part("changes", changesElement(step)) : [],
      step.written.length ? part("records written", element("ul", {}, step.written.map((record) => element("li", {}, code(record))))) : [],
      nothing ? part("changes", element("span", { class: "muted" }, "none")) : [],
      step.changes_left_out ? part("", `… and ${step.changes_left_out} more`) : [],
      step.told.length ? part("others were told", element("ul", {}, step.told.map((one) => element("li", {}, element("bdi", {}, one))))) : []));
}

function changesElement(step) {
  const value = (one, none) => (one === null ? element("span", { class: "muted" }, none) : code(one));
  return table("What the step changed", [{ name: "place" }, { name: "from" }, { name: "to" }],
    step.changes.map(({ path, before, after }) => [code(path), value(before, "nothing"), value(after, "nothing")]));
}

function goToIndex(index) {
  const place = current.trial.steps.findIndex((step) => step.index === index);
  if (place >= 0) goTo(place, true);
}

function goTo(place, byHand) {
  const { steps } = current.trial;
  if (!steps.length) return;
  current.step = Math.min(Math.max(place, 0), steps.length - 1);
  [...$("steps").children].forEach((item, other) => {
    item.hidden = other !== current.step;
  });
  [...$("dots").children].forEach((dot, other) => {
    const here = other === current.step;
    dot.tabIndex = here ? 0 : -1;
    if (here) dot.setAttribute("aria-current", "step");
    else dot.removeAttribute("aria-current");
  });
  if ($("dots").contains(document.activeElement)) $("dots").children[current.step].focus();
  $("previous-step").disabled = current.step === 0;
  $("next-step").disabled = current.step === steps.length - 1;
  $("step-place").textContent = `step ${steps[current.step].index + 1} of ${current.trial.step_count}`;
  if (byHand) putAddress(`#trial=${encodeURIComponent(current.trial.id)}&step=${steps[current.step].index + 1}`);
}

function goToTrial(place) {
  const trial = trials()[place];
  if (!trial) return;
  showTrial(trial.id);
  putAddress(`#trial=${encodeURIComponent(trial.id)}`);
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

if (viewer) {
  fillTrials();
  showTrial(trials()[0].id);
  $("trial-choice").addEventListener("change", (event) => goToTrial(Number(event.target.value)));
  $("previous-trial").addEventListener("click", () => goToTrial(Number($("trial-choice").value) - 1));
  $("next-trial").addEventListener("click", () => goToTrial(Number($("trial-choice").value) + 1));
  viewer.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!(key in STEPS) || event.altKey || event.ctrlKey || event.metaKey || target.closest("select, pre, .scroll")) return;
    event.preventDefault();
    goTo(current.step + STEPS[key], true);
  });
}
