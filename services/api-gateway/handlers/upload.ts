import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError } from '../../../lib/errors';
import { parseJsonText } from '../../../lib/http-body/json-body';
import { randomId } from '../../../lib/ids';
import type { Json } from '../../../lib/json';
import type { ParamsOf, ResultOf } from '../../../contracts/catalogue';
import { PART_BYTES } from '../../../contracts/files';
import type { Gateway } from '../gateway';
import { sendAnswer } from '../http/answer';
import { readForm } from '../http/multipart';
import type { GatewayRequest } from '../http/request';
import type { UploadRoute, UploadService } from '../routes/route';

type Verb = 'begin_upload' | 'put_upload' | 'commit_upload' | 'give_up_upload';

/** Hands a file on part by part: the next is read when the service has taken the one before it. */
export async function serveUpload(
  gateway: Gateway,
  route: UploadRoute,
  path: Readonly<Record<string, string>>,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  // Anew for each part: principals are short-lived, and who has lost his role sends no more.
  const call = async <V extends Verb>(verb: V, params: object): Promise<ResultOf<`${UploadService}.${V}`>> => {
    const principal = await gateway.identify(route, request);
    // The action's own schema decides whether they are what it takes.
    const given = params as ParamsOf<`${UploadService}.${V}`>;
    return gateway.call(`${route.service}.${verb}`, given, principal, request);
  };
  const principal = await gateway.identify(route, request);
  gateway.assertRole(route, principal);
  const tenantId = gateway.tenantOf(principal);
  const upload_id = randomId();
  let size = 0;
  let begun = false;
  try {
    const fields = await readForm(request, gateway.app.config.uploadLimit, async (file) => {
      gateway.uploads.take(tenantId, response);
      const { filename, contentType: content_type } = file;
      begun = true;
      await call('begin_upload', { ...path, upload_id, filename, content_type, announced: announcedBy(request) });
      let n = 0;
      for await (const part of partsOf(file.content)) {
        await call('put_upload', { upload_id, n: n++, data: part.toString('base64') });
        size += part.length;
      }
    });
    const result = await call('commit_upload', { ...(await fieldsOf(route, fields)), ...path, upload_id, size });
    await sendAnswer(response, { status: route.status, body: result, ...route.answer?.(result) });
  } catch (fault) {
    if (begun) await call('give_up_upload', { upload_id }).catch(leave(gateway));
    throw fault;
  }
}

/** The service removes uncommitted uploads later. */
const leave = (gateway: Gateway) => (fault: unknown) =>
  gateway.log.info('An upload that failed could not be given up at once', fault);

function announcedBy({ headers }: GatewayRequest): number | null {
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}

/** The bytes in parts of PART_BYTES; the last may be shorter. */
async function* partsOf(content: Readable): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    let all = Buffer.concat(held);
    for (; all.length >= PART_BYTES; all = all.subarray(PART_BYTES)) yield all.subarray(0, PART_BYTES);
    held = [all];
    bytes = all.length;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

/** Of the fields of a form, those that the route hands on. @throws AppError invalid_json */
async function fieldsOf(route: UploadRoute, form: ReadonlyMap<string, string>): Promise<Record<string, Json>> {
  const given: [string, Json][] = [];
  for (const [name, kind] of Object.entries(route.fields)) {
    const text = form.get(name);
    if (text !== undefined && text !== '') given.push([name, kind === 'json' ? await jsonOf(name, text) : text]);
  }
  return Object.fromEntries(given);
}

async function jsonOf(field: string, text: string): Promise<Json> {
  try {
    return await parseJsonText(text);
  } catch (cause) {
    const message = `The field "${field}" is not valid JSON, or nests too deep`;
    throw new AppError('invalid_json', message, { details: [{ path: field, message }] }, { cause });
  }
}
