/** Returns a function that makes a value once for each object, and keeps it as long as the object. */
export function perObject<Key extends object, Value extends object | string>(make: (key: Key) => Value) {
  const values = new WeakMap<Key, Value>();
  return (key: Key): Value => {
    const value = values.get(key) ?? make(key);
    values.set(key, value);
    return value;
  };
}
