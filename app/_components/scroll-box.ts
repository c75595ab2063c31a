/** Attributes of a scrollable box, which give it a name and make it reachable by keyboard. */
export function scrollBox(label: string) {
  return { tabIndex: 0, role: "group", "aria-label": label } as const;
}
