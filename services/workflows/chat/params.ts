import { AppError } from '../../../lib/errors';
import { parseFieldPath } from '../../../lib/field-path';

/** Members of a body, and of an answer, that mean something else. */
const TAKEN_IN: readonly string[] = ['conversation_id', 'history', 'body'];
const TAKEN_OUT: readonly string[] = ['conversation_id', 'execution_id'];

/** @throws AppError invalid_request for fields that cannot be used, or are used already */
export function assertFields({ input_field, output_field }: { input_field: string; output_field: string }): void {
  const faults = [
    ...(TAKEN_IN.includes(input_field) ? [fault('input_field', `cannot be ${TAKEN_IN.join(', ')}`)] : []),
    ...(TAKEN_OUT.includes(output_field) ? [fault('output_field', `cannot be ${TAKEN_OUT.join(' or ')}`)] : []),
    ...(parseFieldPath(output_field) === null
      ? [fault('output_field', 'must be a path such as text, answer.text or parts[0].text')]
      : []),
  ];
  const [first] = faults;
  if (first !== undefined)
    throw new AppError('invalid_request', `The '${first.path}' ${first.message}`, { details: faults });
}

const fault = (path: string, message: string) => ({ path, message });
