type NumberArray = Int32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** The array itself where it has the length, else a copy that is longer by half than what is asked for. */
export function grown<T extends NumberArray>(array: T, length: number): T {
  if (array.length >= length) return array;
  const longer = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5));
  longer.set(array);
  return longer;
}
