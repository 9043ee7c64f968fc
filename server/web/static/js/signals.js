// All signals of the cell: asked for once, whoever needs them.

let asked = null;

// A list of { name, object, column, kind, unit, direction, description, texts, search }.
export function allSignals() {
  asked ??= fetch("/signals")
    .then((answer) => answer.json())
    .then((signals) => signals.map(completed));
  return asked;
}

export function completed(signal) {
  const { name, unit, description, direction } = signal;
  const search = `${name} ${unit} ${description} ${direction}`.toLowerCase();
  return Object.freeze({ ...signal, object: name.split(".")[0], search });
}
