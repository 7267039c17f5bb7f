/** Attributes of an element that is scrolled and may have no field or button in it: arrow keys scroll what has the focus. */
export const SCROLLED = { tabIndex: 0 } as const;
