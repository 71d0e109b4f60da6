import { ROOTS } from '../../../../dsl';
import { BINARY_OPERATORS } from '../../../../dsl/expression/ast';
import { FUNCTIONS } from '../../../../dsl/expression/functions';

/** The language as it was promised: what a later version may add to, and never take from. */
const PROMISED = {
  roots: 'trigger steps secret config loop error execution env vars',
  operators: '?? || && == != < <= > >= in + - * / %',
  functions: `
    upper lower trim split join replace starts_with ends_with contains length slice pad truncate slug title capitalize
    number round floor ceil abs min max sum avg
    first last at sort reverse unique flatten map_field filter_field group_by index_by range chunk compact
    keys values entries pick omit merge
    now date format_date add_time diff_time
    json parse_json base64 unbase64 url_encode url_decode hash hmac uuid
    match extract
    string boolean type default exists approval_link form_link`,
};

const words = (text: string): string[] => text.trim().split(/\s+/);

test('every name, operator and function that was promised is there', () => {
  expect(words(PROMISED.roots).filter((name) => !(ROOTS as readonly string[]).includes(name))).toEqual([]);
  const operators: readonly string[] = BINARY_OPERATORS.flat();
  expect(words(PROMISED.operators).filter((operator) => !operators.includes(operator))).toEqual([]);
  expect(words(PROMISED.functions).filter((name) => !FUNCTIONS.has(name))).toEqual([]);
});
