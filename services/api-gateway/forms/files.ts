import { sha256 } from '../../../lib/crypto';
import { fitsMediaType } from '../../../lib/file-signature';

import { safeFileName } from '../../../lib/file-name';
import { randomId } from '../../../lib/ids';
import type { Json, JsonObject } from '../../../lib/json';
import { essenceOf, isMediaType } from '../../../lib/media-type';
import type { Call } from '../../../contracts/catalogue';
import { PART_BYTES, partsOf } from '../../../contracts/files';
import { controlName, sizeText } from '../public-page/controls';
import type { Control, FormField } from '../public-page/fields';
import type { RawFile } from '../../../lib/http-body/multipart-body';

type FileControl = Extract<Control, { kind: 'file' }>;

/** A file that was accepted, and its path in the workspace of the run. */
export interface AcceptedFile {
  readonly path: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** The files of a form: references as values, contents to store, and messages by the name of the field. */
interface FormFiles {
  readonly values: JsonObject;
  readonly accepted: readonly AcceptedFile[];
  readonly faults: ReadonlyMap<string, string>;
}

/** Assigns the sent files to the fields of a form. `folder`: of the workspace. Pure. */
export function filesOf(fields: readonly FormField[], sent: readonly RawFile[], folder: string): FormFiles {
  const faults = new Map<string, string>();
  const accepted = new Map<string, AcceptedFile>();
  const entries: [string, Json][] = [];
  for (const [index, field] of fields.entries()) {
    const { control, name, rules } = field;
    if (control.kind !== 'file') continue;
    const files = sent.filter((file) => file.field === controlName(name));
    if (files.length === 0) continue;
    const fault = faultOf(control, files);
    if (fault !== null) {
      faults.set(name, fault);
      continue;
    }
    const references = files.map((file, n) => {
      const place = `${folder}/${safeFileName(name).slice(0, 60)}`;
      const path = freePath(accepted, [`${place}/${file.filename}`, `${place}/${index}-${n}/${file.filename}`]);
      accepted.set(path, { path, contentType: typeOf(file), content: file.content });
      return referenceOf(path, file);
    });
    entries.push([name, rules.type === 'array' ? references : (references[0] as JsonObject)]);
  }
  return { values: Object.fromEntries(entries), accepted: [...accepted.values()], faults };
}

/** The first path that is free; the last one is unique. */
const freePath = (taken: ReadonlyMap<string, unknown>, paths: readonly [string, string]): string =>
  taken.has(paths[0]) ? paths[1] : paths[0];

function faultOf({ accept, maxBytes, maxFiles }: FileControl, files: readonly RawFile[]): string | null {
  if (files.length > maxFiles) return maxFiles === 1 ? 'must be one file' : `must be at most ${maxFiles} files`;
  for (const { filename, content_type: contentType, content } of files) {
    if (content.length > maxBytes) return `${filename} is larger than ${sizeText(maxBytes)}`;
    const type = essenceOf(contentType);
    if (!isAccepted(accept, type) || !fitsMediaType(content, type))
      return accept.length === 0
        ? `${filename} is not what its name says`
        : `${filename} must be ${accept.join(' or ')}`;
  }
  return null;
}

/** True for a media type among those of a form, which may be `image/*`. */
const isAccepted = (accept: readonly string[], type: string): boolean =>
  accept.length === 0 ||
  accept.some((each) => (each.endsWith('/*') ? type.startsWith(each.slice(0, -1)) : type === each));

/** As steps that write files return it. */
const referenceOf = (path: string, file: RawFile): JsonObject => ({
  path,
  name: file.filename,
  size: file.content.length,
  content_type: typeOf(file),
  sha256: sha256(file.content),
});

const typeOf = ({ content_type: type }: RawFile): string => (isMediaType(type) ? type : 'application/octet-stream');

/** Stores files in the workspace of a run, which may start later. Repeating it is harmless. */
export async function storeFiles(
  call: Call,
  run: { readonly tenantId: string; readonly workflowId: string; readonly executionId: string },
  files: readonly AcceptedFile[],
): Promise<void> {
  const asService = { asServiceOf: run.tenantId };
  for (const { path, content, contentType } of files) {
    const blob_id = randomId();
    const file = { path, size: content.length, content_type: contentType };
    await call(
      'files.begin',
      { blob_id, execution_id: run.executionId, workflow_id: run.workflowId, ...file },
      asService,
    );
    for (let n = 0; n < partsOf(content.length); n++) {
      const data = content.subarray(n * PART_BYTES, (n + 1) * PART_BYTES).toString('base64');
      await call('files.put_part', { blob_id, n, data }, asService);
    }
    await call('files.commit', { blob_id }, asService);
  }
}
