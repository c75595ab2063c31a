import type { TimedEvent } from "./compose-stream";

const dataField = "data: ";

/** Returns the lines of an event with its JSON, parsed and written again, on several lines of data; other data stays as it is. */
function divideData(line: string): string[] {
  if (!line.startsWith(`${dataField}{`)) return [line];
  const json = JSON.stringify(JSON.parse(line.slice(dataField.length)), null, 1);
  return json.split("\n").map((part) => dataField + part);
}

type Form = { lineEnd?: string; change?: (lines: string[], index: number) => string[] };

/** Some of the forms that every parser of server-sent events has to read alike: WHATWG HTML, section "Parsing an event stream". */
const forms: Form[] = [
  { change: (lines) => [": processing", ...lines] },
  { lineEnd: "\r\n" },
  { change: (lines, index) => [`id: ${index}`, "retry: 3000", ...lines.map((line) => line.replace(": ", ":"))] },
  { lineEnd: "\r" },
  { change: (lines) => lines.flatMap(divideData) },
  { lineEnd: "\r\n", change: (lines) => [":", ...lines, "unknown: a field that parsers ignore"] },
];

/**
 * Writes an event, which has lines that end with LF, in the form whose turn it is. The last one
 * stays as it is: after a CR, parsers wait for an LF.
 */
export function varySseForm(event: TimedEvent, index: number, { length }: readonly TimedEvent[]): TimedEvent {
  if (index === length - 1) return event;
  const { lineEnd = "\n", change = (lines) => lines } = forms[index % forms.length] as Form;
  const lines = change(event.text.trimEnd().split("\n"), index);
  return { ...event, text: [...lines, "", ""].join(lineEnd) };
}
