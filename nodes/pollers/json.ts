import { isObject, type Json, type JsonObject } from '../../lib/json';

/** A member of what a provider has answered; undefined where it is not, or is inherited. */
export const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A text of an answer; null for anything else. */
export const textIn = (value: Json | undefined, name: string): string | null => {
  const found = member(value, name);
  return typeof found === 'string' ? found : null;
};

/** A list of an answer; empty where there is none. */
export const listIn = (value: Json | undefined, name: string): Json[] => {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
};

/** An object of an answer; empty where there is none. */
export const objectIn = (value: Json | undefined, name: string): JsonObject => {
  const found = member(value, name);
  return isObject(found) ? found : {};
};
