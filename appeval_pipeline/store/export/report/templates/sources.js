// What a number rests on: run, data version, files, code, configuration and other results.

const dialog = $("sources");

function showSources(key, asset) {
  const partition = facts().partitions[key];
  if (!partition) return false;
  const results = partition.results.map((result) => resultElement(key, partition, result, asset));
  $("sources-title").textContent = `What the numbers of ${key} rest on`;
  $("sources-body").replaceChildren(
    ...(results.length ? results : [muted("Nothing is stored of where they come from.")]),
    ...leftOutNote(partition),
    muted("Hashes are shown as far as their first 16 digits. Down to the last file:"),
    element("p", {}, code(partition.app
      ? `appeval why ${partition.app} ${partition.version} METRIC`
      : `appeval why ${key} METRIC`)),
  );
  if (!dialog.open) dialog.showModal();
  const first = asset ? $("sources-body").querySelector("details[open]") : null;
  if (first) first.querySelector("summary").focus();
  else dialog.scrollTop = 0;
  return true;
}

function resultElement(key, partition, [asset, dataVersion, run, inputs, leftOut], wanted) {
  const [runId, at] = facts().runs[run];
  const numbers = numbersOf(partition).filter(({ owner }) => owner === asset);
  return element(
    "details",
    { open: wanted === asset },
    element("summary", {}, element("strong", {}, asset), ` ${count(numbers.length, "number")}, ${count(inputs.length, "input")}`),
    element("p", { class: "from" }, "data version ", code(dataVersion), " · run ", code(runId), ` · ${at}`),
    table(`What ${asset} was computed from`, [
      { name: "input" }, { name: "version" }, { name: "of" },
    ], inputs.map((place) => inputRow(facts().inputs[place], key))),
    leftOut ? muted(`… and ${count(leftOut, "input")} more.`) : null,
    numbers.length
      ? table(`Numbers of ${asset}`, [{ name: "number" }, { name: "value", kind: "n" }],
        numbers.map(({ name, value, unit }) => [name, shown(value, unit)]))
      : null,
  );
}

function leftOutNote(...partitions) {
  const leftOut = partitions.reduce((sum, partition) => sum + partition.left_out, 0);
  return leftOut ? [muted(`${count(leftOut, "number")} or scenarios are not on this page; the other formats have them all.`)] : [];
}

function inputRow([kind, name, version, partition], key) {
  const known = partition && partition !== key && facts().partitions[partition];
  const where = known
    ? element("button", { type: "button", class: "plain", click: () => showSources(partition, name) }, partition)
    : partition;
  return [element("span", {}, element("span", { class: "muted" }, `${kind.replace("_", " ")} `), name), code(version), where];
}

// By turns the place of a metric and its value.
function numbersOf(partition) {
  const found = [];
  for (let place = 0; place < partition.values.length; place += 2) {
    const [name, unit, owner, better] = facts().metrics[partition.values[place]];
    found.push({ name, unit, owner, better, value: partition.values[place + 1] });
  }
  return found;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-partition]");
  if (button) showSources(button.dataset.partition, button.dataset.asset);
});
$("sources-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // the ground around it
});
