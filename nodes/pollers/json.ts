import { isObject, type Json } from '../../lib/json';

/** An own member of an object; undefined for any other value. */
export const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A text member; null if there is none. */
export const textIn = (value: Json | undefined, name: string): string | null => {
  const found = member(value, name);
  return typeof found === 'string' ? found : null;
};
