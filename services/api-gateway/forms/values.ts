import type { Compute } from '../../../lib/compute';
import type { ErrorDetail } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { checkSliced } from '../../../lib/json-schema/check-sliced';
import { all } from '../http/query';
import { controlName, type Shown } from '../public-page/controls';
import { filledIn, type FormField, textsOf } from '../public-page/fields';
import { type AcceptedFile, filesOf } from './files';
import type { Submission } from '../http/sent-form';

/** A form as it was filled in: its values with references to files, and what is wrong with them. */
export interface Filled {
  readonly values: JsonObject;
  readonly files: readonly AcceptedFile[];
  readonly faults: ReadonlyMap<string, string>;
}

/** Reads and checks a sent form by its schema. `folder`: of its files. @throws AppError unavailable */
export async function readFilled(
  compute: Compute,
  { schema, fields }: { readonly schema: Json | undefined; readonly fields: readonly FormField[] },
  { fields: sent, files: sentFiles }: Submission,
  folder: string,
): Promise<Filled> {
  const typed = filledIn(fields, (name) => all(sent, controlName(name)));
  const files = filesOf(fields, sentFiles, folder);
  const values = { ...typed.values, ...files.values };
  const own = new Map([...typed.faults, ...files.faults]);
  if (schema === undefined) return { values, files: files.accepted, faults: own };
  const checked = await checkSliced(compute, { schema, unknownKeywords: 'ignore' }, values);
  const byField = checked.of === 'schema' ? new Map<string, string>() : faultsByField(fields, checked.faults);
  // What could not be read is more to the point than that it is missing.
  return { values, files: files.accepted, faults: new Map([...byField, ...own]) };
}

/** The first message about each field; one about none of them stands at the first field. Pure. */
export function faultsByField(fields: readonly FormField[], faults: readonly ErrorDetail[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { path, message } of faults) {
    const field = fields.find(({ name }) => isAt(path, name)) ?? fields[0];
    if (field !== undefined && !found.has(field.name)) found.set(field.name, plainFault(field, message));
  }
  return found;
}

const isAt = (path: string, name: string): boolean =>
  path === name ||
  path.startsWith(`${name}.`) ||
  path.startsWith(`${name}[`) ||
  path.startsWith(`[${JSON.stringify(name)}]`) ||
  path.startsWith(`['${name}']`);

/** Messages of schemas are for authors; people choose, tick and attach. */
function plainFault({ control, rules }: FormField, message: string): string {
  if (control.kind === 'check' && rules.const === true) return 'must be ticked';
  if (message !== 'is required') return message;
  if (control.kind === 'file') return 'must have a file';
  return control.kind === 'choice' ? 'must be chosen' : 'must be filled in';
}

/** What the controls show of a sent form. */
export const shownOf = ({ fields: sent }: Submission, faults: ReadonlyMap<string, string>): Shown => ({
  typed: (name) => all(sent, controlName(name)),
  faults,
});

/** What the controls show at first: `values`, else the defaults of the schema. */
export function prefilled(fields: readonly FormField[], values: JsonObject): Shown {
  const texts = new Map(
    fields.map((field) => {
      const value = Object.hasOwn(values, field.name) ? values[field.name] : field.rules.default;
      return [field.name, textsOf(field, value)];
    }),
  );
  return { typed: (name) => texts.get(name) ?? [], faults: new Map() };
}
