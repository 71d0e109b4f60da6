import fc from 'fast-check';
import { type Edit, edit, edited, oddText } from '../integration/security/support/odd';
import { SENDERS, type Sender } from '../integration/security/support/requests';
import type { Operation, Parameter } from './description';
import { anything, valueOf } from './values';

/** A request before the ids of existing resources are known. */
export interface Idea {
  readonly operation: Operation;
  readonly sender: Sender;
  /** One for each variable of the path: null for an existing resource. */
  readonly path: readonly (string | null)[];
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | null;
  /** `known`: one that was accepted before, if there is one. `edits` are made in either. */
  readonly body: { readonly kind: 'known' | 'made' | 'odd'; readonly value: unknown; readonly edits: readonly Edit[] };
  /** Index among the existing resources, from the newest on. */
  readonly age: number;
}

const headerText = fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\x20-\x7e]/g, '').trim());
const ACCEPTS = [
  '*/*',
  'application/json',
  'text/html',
  'text/csv',
  'text/event-stream',
  'image/png',
  'text/html;q=0.1, */*;q=0',
];

const often = <T>(usual: fc.Arbitrary<T>, weight: number, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, unknown>> {
  const members = parameters.map(({ name, schema }) => [name, often<unknown>(valueOf(schema), 3, oddText)] as const);
  const required = parameters.flatMap((each) => (each.required ? [each.name] : []));
  const asked = fc.record(Object.fromEntries(members), { requiredKeys: required });
  return often(asked, 5, fc.dictionary(fc.constantFrom('x', 'limit', 'a[b]', '__proto__'), oddText, { maxKeys: 2 }));
}

function headersOf(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, string>> {
  const members = parameters.map(
    ({ name, schema }) => [name, often(valueOf(schema).map(String), 2, headerText)] as const,
  );
  const own = fc.record({ ...Object.fromEntries(members), Accept: fc.constantFrom(...ACCEPTS) }, { requiredKeys: [] });
  return own.map((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, printable(String(value))])),
  );
}

const printable = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 300);

/** Requests to an operation: most of them valid, some with one error, some completely invalid. */
export function ideasFor(operation: Operation): fc.Arbitrary<Idea> {
  const of = (where: Parameter['in']): readonly Parameter[] => operation.parameters.filter((each) => each.in === where);
  const types = Object.keys(operation.bodies ?? {});
  const json = operation.bodies?.['application/json'];
  const made = json === undefined ? fc.constant<unknown>({}) : valueOf(json);
  const edits = often(fc.constant<Edit[]>([]), 2, fc.array(edit, { minLength: 1, maxLength: 2 }));
  return fc.record({
    operation: fc.constant(operation),
    sender: often(fc.constant<Sender>('owner'), 4, fc.constantFrom(...SENDERS)),
    path: fc.tuple(...of('path').map(() => often<string | null>(fc.constant(null), 5, oddText))),
    query: queryOf(of('query')),
    headers: headersOf(of('header')),
    contentType: often(
      fc.constantFrom(...(types.length === 0 ? [null] : types)),
      8,
      fc.constantFrom(
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=utf-16',
        'multipart/form-data',
      ),
    ),
    body: fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('known' as const), value: made, edits }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('made' as const), value: made, edits }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('odd' as const), value: anything, edits: fc.constant([]) }),
      },
    ),
    age: often(fc.constant(0), 2, fc.nat(3)),
  });
}

export const bodyOf = (idea: Idea, accepted: unknown): unknown =>
  idea.body.edits.reduce<unknown>(
    (value, change) => edited(value, change),
    idea.body.kind === 'known' && accepted !== undefined ? accepted : idea.body.value,
  );
