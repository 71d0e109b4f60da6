import type { Json } from '../lib/json';
import { CliError } from './exits';

/** Parses an option with JSON. @throws CliError usage */
export function jsonOption(name: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new CliError('usage', `${name} is not JSON: ${(cause as Error).message}`, { cause });
  }
}
