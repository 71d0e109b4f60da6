import { gzipSync } from 'node:zlib';
import { signingCertificate } from '../../support/certificate';
import { base64, responseXml, samlFields, signed } from '../../support/sso/saml-idp';
import { zip } from '../../support/zip';
import { type StallCase, stallCase } from '../case';
import { KIB, MIB, nestedLists, repeated, wideObject, words } from './builders';

const LOGIN = '/api/v1/auth/login';
const REFUSED = [400, 401, 413, 415, 422, 429, 431];

/** Unauthenticated requests: bodies, headers, query strings, streams. */
export const http: readonly StallCase[] = [
  stallCase('http: gzip of 5.8 MB of brackets to a public route', async (stage) => {
    const headers = { 'content-encoding': 'gzip', authorization: '' };
    await stage.send('POST', LOGIN, gzipSync(repeated('[', 5.8 * MIB)), { headers, statuses: REFUSED });
  }),
  stallCase('http: 400,000 keys to a public route', async (stage) => {
    await stage.send('POST', LOGIN, wideObject(400_000), { headers: { authorization: '' }, statuses: REFUSED });
  }),
  stallCase('http: 400,000 keys to a webhook', async (stage) => {
    const id = await stage.save([{ id: 'it', type: 'set', config: { a: 1 } }]);
    await stage.send('POST', `/webhooks/${id}`, wideObject(400_000), { statuses: [202, ...REFUSED] });
  }),
  stallCase('http: 12 MB of text in a webhook', async (stage, dice) => {
    const id = await stage.save([{ id: 'it', type: 'set', config: { a: 1 } }]);
    const body = JSON.stringify({ text: words(dice, 12 * MIB) });
    await stage.send('POST', `/webhooks/${id}`, body, { statuses: [202, ...REFUSED] });
  }),
  stallCase('http: 12 MB of plain text in a webhook', async (stage, dice) => {
    const id = await stage.save([{ id: 'it', type: 'set', config: { a: 1 } }]);
    const headers = { 'content-type': 'text/plain' };
    await stage.send('POST', `/webhooks/${id}`, words(dice, 12 * MIB), { headers, statuses: [202, ...REFUSED] });
  }),
  stallCase('http: a form of 200,000 fields in a webhook', async (stage) => {
    const id = await stage.save([{ id: 'it', type: 'set', config: { a: 1 } }]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await stage.send('POST', `/webhooks/${id}`, repeated('a=b&', 800 * KIB), { headers, statuses: [202, ...REFUSED] });
  }),
  stallCase('http: 5 MB of JSON in a document', async (stage) => {
    const body = `{"name":"x","dsl":${wideObject(300_000)}}`;
    await stage.send('POST', '/api/v1/workflows', body, { statuses: REFUSED });
  }),
  stallCase('http: nesting in a signed-in request', async (stage) => {
    await stage.send('POST', '/api/v1/workflows/validate', `{"dsl":${nestedLists(MIB)}}`, { statuses: REFUSED });
  }),
  stallCase('http: a query string of 15 KB', async (stage) => {
    await stage.send('GET', `/api/v1/executions?${repeated('a[b][c]=d&', 15 * KIB)}`, undefined, {
      statuses: [200, ...REFUSED],
    });
  }),
  stallCase('http: a visibility query of 8 KB', async (stage) => {
    const query = encodeURIComponent(`${repeated('(status = "failed" or ', 4 * KIB)}`);
    await stage.send('GET', `/api/v1/executions/visibility?query=${query}`, undefined, { statuses: [200, ...REFUSED] });
  }),
  stallCase('http: a multipart upload of 3,000 parts', async (stage) => {
    const base = await stage.api.call<{ id: string }>('POST', '/api/v1/knowledge-bases', { name: stage.name('base') });
    const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const path = `/api/v1/knowledge-bases/${base.id}/documents/upload`;
    await stage.send('POST', path, `${part.repeat(3_000)}--b--\r\n`, { headers, statuses: REFUSED });
  }),
  stallCase('http: a SCIM PATCH of 1,000 operations on a group of 2,000 members', async (stage) => {
    const scim = await stage.api.call<{ key: string }>('POST', '/api/v1/api-keys', { name: 'scim', scope: 'scim' });
    const headers = { authorization: `Bearer ${scim.key}`, 'content-type': 'application/scim+json' };
    const send = (method: string, path: string, body: object) =>
      stage.send(method, `/scim/v2${path}`, JSON.stringify(body), { headers, statuses: [200, 201, ...REFUSED] });
    await send('POST', '/Groups', { displayName: stage.name('g'), members: Array(2_000).fill({ value: 'unknown' }) });
    const where = Array(12).fill('value co "a"').join(' and ');
    const Operations = Array(1_000).fill({ op: 'add', path: `emails[${where}].value`, value: 'x@example.com' });
    const { id } = await stage.api.call<{ id: string }>('GET', '/api/v1/me');
    await send('PATCH', `/Users/${id}`, { Operations });
  }),
  stallCase('http: 300 public streams of one run', async (stage) => {
    const steps = [{ id: 'wait', type: 'wait', config: { for: '1h' } }];
    const id = await stage.save(steps);
    const started = await stage.api.call<{ execution_id: string }>('POST', `/webhooks/${id}`, {});
    const path = `/public/executions/${started.execution_id}/stream`;
    const closers = await Promise.all(Array.from({ length: 300 }, () => stage.follow(path)));
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    for (const close of closers) close();
    await stage.api.call('POST', `/api/v1/executions/${started.execution_id}/cancel`);
  }),
  stallCase('http: sixty followers of a busy run', async (stage) => {
    const steps = [{ id: 'in', type: 'set', config: { v: '{{ loop.item }}' } }];
    const each = { id: 'each', type: 'foreach', config: { items: '{{ range(1000) }}', concurrency: 50 }, steps };
    const id = await stage.save([{ id: 'pause', type: 'wait', config: { for: '1s' } }, each]);
    const started = await stage.api.call<{ execution_id: string }>('POST', `/webhooks/${id}`, {});
    const path = `/api/v1/executions/${started.execution_id}/stream`;
    const closers = await Promise.all(Array.from({ length: 60 }, () => stage.follow(path, stage.api.token)));
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    for (const close of closers) close();
  }),
  stallCase('http: detail and timeline of a run of 5,000 steps', async (stage) => {
    const steps = [{ id: 'in', type: 'set', config: { v: '{{ loop.item }}' } }];
    const each = { id: 'each', type: 'foreach', config: { items: '{{ range(5000) }}', concurrency: 100 }, steps };
    const { id } = await stage.flow([each]);
    for (const view of ['detail', 'detail?limit=200', 'timeline'])
      await stage.send('GET', `/api/v1/executions/${id}/${view}`, undefined, { statuses: [200] });
  }),
  stallCase('http: detail of a run with outputs of 9 MB', async (stage) => {
    const body = JSON.stringify(Array.from({ length: 60_000 }, (_, index) => ({ a: index })));
    const steps = Array.from({ length: 9 }, (_, n) => ({
      id: `s${n}`,
      type: 'set',
      config: { list: '{{ trigger.body }}' },
    }));
    const { id } = await stage.flow(steps, { body: JSON.parse(body) as unknown, ends: 'either' });
    for (const view of ['detail', 'timeline'])
      await stage.send('GET', `/api/v1/executions/${id}/${view}`, undefined, { statuses: [200] });
    await stage.send('GET', `/api/v1/executions/${id}`, undefined, { statuses: [200] });
  }),
  stallCase('http: a list of 2,000 approvals', async (stage) => {
    const steps = [{ id: 'ask', type: 'approval', config: { message: repeated('please ', 400) } }];
    const each = { id: 'each', type: 'foreach', config: { items: '{{ range(100) }}', concurrency: 100 }, steps };
    const id = await stage.save([each]);
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => stage.api.call<{ execution_id: string }>('POST', `/webhooks/${id}`, {})),
    );
    for (let n = 0; n < 5; n++) await stage.send('GET', '/api/v1/approvals', undefined, { statuses: [200] });
    for (const { execution_id: run } of runs) await stage.api.call('POST', `/api/v1/executions/${run}/cancel`);
  }),
  stallCase('http: a skill of 4 MB, taken apart', async (stage) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(Buffer.alloc(4 * MIB, 0x50))]), 'a.zip');
    const answer = await stage.api.ask('POST', '/api/v1/skills/parse', form);
    if (answer.status !== 400 && answer.status !== 422)
      throw new Error(`The bundle was answered with ${answer.status}`);
  }),
  stallCase('http: a skill of 1,990 files', async (stage) => {
    const files = Array.from({ length: 1_990 }, (_, n) => ({ name: `f${n}`, content: Buffer.alloc(4 * KIB, 'abc') }));
    const form = new FormData();
    form.append('file', new Blob([zip([{ name: 'SKILL.md', content: '---\nname: a\n---\n' }, ...files])]), 'a.zip');
    const answer = await stage.api.ask('POST', '/api/v1/skills/parse', form);
    if (answer.status !== 400) throw new Error(`The bundle was answered with ${answer.status}`);
  }),
  stallCase('http: a forged SAML response of 4,800 elements', async (stage) => {
    const { cert, key } = signingCertificate();
    const [issuer, audience] = ['https://idp.test/metadata', 'https://flows.test'];
    const saml = { entry_point: 'https://idp.test/sso', issuer, certificate: cert };
    await stage.api.call('PUT', '/api/v1/sso/config', { provider: 'saml', saml });
    const { id } = await stage.api.call<{ id: string }>('GET', '/api/v1/tenant');
    const callback = '/api/v1/auth/sso/callback';
    const what = samlFields({ issuer, audience, recipient: stage.api.url + callback, inResponseTo: '_request' });
    const xml = signed(responseXml(what), { cert, key });
    const many = xml.replace('</saml:Assertion>', `${'<x a=""/>'.repeat(4_800)}</saml:Assertion>`);
    const form = new URLSearchParams({ SAMLResponse: base64(many), RelayState: id });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
    // The browser is sent on to a page that this installation does not have.
    await stage.send('POST', callback, String(form), { headers, statuses: [200, 404] });
    await stage.api.call('DELETE', '/api/v1/sso/config');
  }),
];
