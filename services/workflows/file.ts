import { AppError } from '../../lib/errors';
import { isObject } from '../../lib/json';
import type { ParamsOf } from '../../contracts/catalogue';
import type { WorkflowFile } from '../../contracts/workflows/views';
import type { WorkflowRecord } from './models';
import { documentOf } from './view';

const FORMAT = 'everstep.workflow';
const FORMAT_VERSION = 1;
const SLUG_LENGTH = 60;
const COPY = ' (copy)';
/** As the contract allows it. */
const MAX_NAME_CHARS = 200;

/** The file of a workflow: no ids, no keys, no secret values. */
export const toFile = async (record: WorkflowRecord, nowMs: number): Promise<WorkflowFile> => ({
  format: FORMAT,
  format_version: FORMAT_VERSION,
  exported_at: new Date(nowMs).toISOString(),
  workflow: {
    name: record.name,
    description: record.description,
    ...((record.tags ?? []).length === 0 ? {} : { tags: record.tags }),
    ...((record.folder ?? '') === '' ? {} : { folder: record.folder }),
    env: record.env,
    dsl: await documentOf(record),
  },
});

/** What a copy of a workflow is created with: its document, without the key of its webhook. */
export const copyOf = async (record: WorkflowRecord): Promise<ParamsOf<'workflows.create'>> => {
  const { name, ...rest } = (await toFile(record, 0)).workflow;
  return { name: `${name.slice(0, MAX_NAME_CHARS - COPY.length)}${COPY}`, ...rest };
};

/** `<slug of the name>.service.json`: ASCII only, since it goes into a header; `workflow` when nothing is left. */
export function fileName(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  return `${slug || 'workflow'}.service.json`;
}

/**
 * The workflow fields in an imported file, or in a bare `{name, dsl, ...}`; not yet checked.
 * @throws AppError invalid_request for another format, or a version that this one does not know.
 */
export function workflowInFile(file: Record<string, unknown>): Record<string, unknown> {
  const { format, format_version: version, workflow } = file;
  if (format === undefined && version === undefined && workflow === undefined) return file;
  if (format !== FORMAT) {
    throw refusal('format', `format must be "${FORMAT}"; this file says ${JSON.stringify(format) ?? 'nothing'}`);
  }
  if (version !== FORMAT_VERSION) {
    throw refusal(
      'format_version',
      `format_version ${JSON.stringify(version) ?? '(missing)'} is not known here; this server reads version ${FORMAT_VERSION}`,
    );
  }
  if (!isObject(workflow)) throw refusal('workflow', 'workflow must be an object with name and dsl');
  return workflow;
}

const refusal = (path: string, message: string): AppError =>
  new AppError('invalid_request', message, { details: [{ path, message }] });
