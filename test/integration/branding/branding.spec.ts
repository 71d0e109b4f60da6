import { deflateSync } from 'node:zlib';
import type { JsonObject } from '../../../lib/json';
import type { Session } from '../../../contracts/auth/accounts';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { LOGO } from '../../support/images';
import { allServices } from '../../support/services';
import { join } from '../../support/team';
import { until } from '../../support/until';

let t: TestApp;
let owner: Session;

beforeAll(async () => {
  t = await startApp({ services: [allServices] });
  owner = await registerTenant(t);
}, 60_000);
afterAll(() => t.close());

const read = (token = owner.token): Promise<HttpAnswer> => ask(t, 'GET /api/v1/tenant/branding', { token });
const change = (body: JsonObject, token = owner.token): Promise<HttpAnswer> =>
  ask(t, 'PUT /api/v1/tenant/branding', { token, body });
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

/** A PNG whose header names a size. */
function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const chunk = (name: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name), data, Buffer.alloc(4)]);
  };
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(100)))]);
}

describe('the branding of a workspace', () => {
  it('is empty at first, and has the fields that were set last; null removes one', async () => {
    const { token } = await registerTenant(t, { email: 'first@example.com' });
    expect((await read(token)).body).toEqual({ name: null, color: null, logo: null, updated_at: null });
    const set = await change({ name: ' Whale Books ', color: '#AA3355', logo: LOGO }, token);
    expect(set.body).toEqual({
      name: 'Whale Books',
      color: '#aa3355',
      logo: {
        path: expect.stringMatching(/^\/public\/logos\/[\w-]{36}$/) as string,
        content_type: 'image/png',
        width: 64,
        height: 64,
        size: 269,
      },
      updated_at: expect.any(String) as string,
    });
    expect((await change({ color: null }, token)).body).toMatchObject({ name: 'Whale Books', color: null });
    expect((await read(token)).body).toMatchObject({ name: 'Whale Books', color: null, logo: { width: 64 } });
  });

  it('is changed by admins, and read by all members', async () => {
    const admin = await join(t, owner.token, 'admin@example.com', 'admin');
    const member = await join(t, owner.token, 'member@example.com');
    expect((await change({ color: '#112233' }, member.token)).status).toBe(403);
    expect((await change({ color: '#112233' }, admin.token)).status).toBe(200);
    expect((await read(member.token)).body.color).toBe('#112233');
  });

  it('is made once by two first changes at the same time', async () => {
    const { token } = await registerTenant(t, { email: 'twice@example.com' });
    const answers = await Promise.all([change({ name: 'One' }, token), change({ color: '#123456' }, token)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await read(token)).body).toMatchObject({ name: 'One', color: '#123456' });
  });

  it('is on record without the image', async () => {
    await change({ name: 'Recorded', logo: LOGO });
    const events = await until('the event is there', async () => {
      const { body } = await ask(t, 'GET /api/v1/audit?action=branding.update', { token: owner.token });
      const data = body.data as unknown as { after: JsonObject }[];
      return data.find(({ after }) => after.name === 'Recorded');
    });
    expect(events.after.logo).toBe('image/png, 269 bytes');
  });

  it.each([
    ['a colour by its name', { color: 'red' }, 'invalid_request'],
    ['a colour with a rule', { color: '#fff;}*{x:1' }, 'invalid_request'],
    ['a logo that is no base64', { logo: '%%%' }, 'invalid_request'],
    ['an SVG', { logo: base64('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>') }, 'unsupported_media_type'],
    ['a page', { logo: base64('<html><script>alert(1)</script>') }, 'unsupported_media_type'],
    ['a GIF', { logo: base64('GIF89a') }, 'unsupported_media_type'],
    ['a PNG that ends after its first bytes', { logo: base64(pngOf(1, 1).subarray(0, 9)) }, 'invalid_request'],
    ['a PNG of 60,000 by 60,000 pixels', { logo: base64(pngOf(60_000, 60_000)) }, 'invalid_request'],
    ['a PNG without pixels', { logo: base64(pngOf(0, 10)) }, 'invalid_request'],
  ])('refuses %s', async (_name, body: JsonObject, code) => {
    const before = (await read()).body;
    const refused = await change(body);
    expect([refused.status >= 400 && refused.status < 500, refused.body.code]).toEqual([true, code]);
    expect((await read()).body).toEqual(before);
  });

  it('refuses a logo that is too large, before and after decoding', async () => {
    const png = pngOf(10, 10);
    const large = Buffer.concat([png, Buffer.alloc(100 * 1024 + 1 - png.length)]);
    expect((await change({ logo: base64(large) })).body.code).toBe('payload_too_large');
    expect((await change({ logo: base64(Buffer.concat([large, large])) })).status).toBe(400);
    expect((await change({ logo: base64(large.subarray(1)) })).status).toBeGreaterThanOrEqual(400);
    expect((await change({ logo: base64(large.subarray(0, 100 * 1024)) })).status).toBe(200);
  });
});

describe('a logo', () => {
  it('is an image that runs nothing, at an address that changes with it', async () => {
    const path = async (): Promise<string> => ((await change({ logo: LOGO })).body.logo as { path: string }).path;
    const first = await path();
    const response = await fetch(`${t.url}${first}`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(base64(Buffer.from(await response.arrayBuffer()))).toBe(LOGO);
    expect(await path()).not.toBe(first);
    expect((await fetch(`${t.url}${first}`)).status).toBe(404);
  });

  it.each(['x', '%00', '../branding', 'a'.repeat(500)])('is not found at %s', async (id) => {
    expect((await fetch(`${t.url}/public/logos/${encodeURIComponent(id)}`)).status).toBeGreaterThanOrEqual(400);
  });
});

describe('public pages', () => {
  const dsl = {
    id: 'd',
    trigger: { type: 'form', config: { title: 'Report' } },
    steps: [{ id: 'ask', type: 'approval', config: { message: 'Go?' } }],
  };

  it('have the branding of their workspace, also in the next request after a change', async () => {
    const { body: flow } = await ask(t, 'POST /api/v1/workflows', {
      token: owner.token,
      body: { name: 'Branded', dsl },
    });
    const { body: form } = await ask(t, `GET /api/v1/workflows/${String(flow.id)}/form`, { token: owner.token });
    const { body: run } = await ask(t, `POST /api/v1/workflows/${String(flow.id)}/trigger`, {
      token: owner.token,
      body: {},
    });
    const asks = `${t.url}/api/v1/executions/${String(run.id)}/approve/ask?decision=approve`;
    await until('the run asks', async () => (await fetch(asks)).status === 200);
    for (const name of ['First & Co', 'Second']) {
      await change({ name, color: '#00ff00', logo: LOGO });
      for (const url of [String(form.url), asks]) {
        const response = await fetch(url, { headers: { accept: 'text/html' } });
        const html = await response.text();
        expect(html).toContain(`<span>${name.replace('&', '&amp;')}</span></header>`);
        expect(html).toMatch(/<style>:root\{--accent:#00ff00;--on:#000000;--line:#[0-9a-f]{6}\}/);
        expect(response.headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; style-src 'sha256-\S+' 'sha256-\S+'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
        );
      }
    }
  });
});
