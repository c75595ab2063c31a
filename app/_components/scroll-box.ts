/** Attributes of a box that scrolls by itself: it has a name, and the keyboard reaches it. */
export function scrollBox(label: string) {
  return { tabIndex: 0, role: "group", "aria-label": label } as const;
}
