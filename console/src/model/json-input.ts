/** A JSON object that a user has typed; an empty text is an empty object. @throws Error that says what is wrong */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('This must be a JSON object, such as {"amount": 5}');
  }
  return value as Record<string, unknown>;
}
