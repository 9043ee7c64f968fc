// Numbers of a row as people read them. A signal is { name, column, kind, unit, texts }.

export function valueOf(signal, row) {
  const number = row[signal.column];
  if (signal.kind === "Boolean") return number > 0.5;
  if (signal.kind === "String") return signal.texts[number] ?? "";
  return number;
}

export function shown(signal, row) {
  const value = valueOf(signal, row);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "string") return value || "–";
  if (signal.kind === "Int32" || signal.kind === "UInt16") return String(value);
  if (value === 0 || Object.is(value, -0)) return "0";
  const size = Math.abs(value);
  if (size < 1e-9) return "0";
  if (size < 1e-3 || size >= 1e6) return value.toExponential(3);
  return value.toFixed(size < 10 ? 4 : size < 1000 ? 3 : 1);
}
