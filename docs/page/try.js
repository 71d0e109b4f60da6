// Requests of the page about the API: samples of bodies, and fields to try an operation. Read before app.js.
'use strict';

(() => {
  /** An element with attributes and children; texts become text nodes, null is left out. */
  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.flat().filter((child) => child !== null));
    return element;
  }

  /** Values of members that have a usual form, by name. */
  const SAMPLES = {
    email: 'you@example.com',
    password: 'choose-a-long-one',
    url: 'https://example.com',
    base_url: 'https://api.example.com',
    tenant_slug: 'acme',
    tenant_name: 'Acme',
    slug: 'example',
    query: 'refunds',
    signal: 'paid',
    dsl: {
      id: 'example',
      trigger: { type: 'manual' },
      steps: [{ id: 'hello', type: 'set', config: { text: 'Hello' } }],
    },
  };

  /** The value that a schema itself names, or that is usual for a name; undefined when there is none. */
  const givenSample = (schema, name) =>
    [schema.example, SAMPLES[name], schema.const, schema.default, schema.enum?.[0]].find(
      (value) => value !== undefined,
    );

  /** A body that a schema takes: what it demands, or its first members where it demands nothing. */
  function sample(schema, resolve, name = '', depth = 0) {
    const { value } = resolve(schema);
    if (value === undefined || depth > 5) return null;
    const given = givenSample(value, name);
    if (given !== undefined) return given;
    if (value.anyOf !== undefined) return sample(value.anyOf[0], resolve, name, depth + 1);
    const type = [value.type].flat()[0];
    if (type === 'array') return value.minItems > 0 ? [sample(value.items ?? {}, resolve, name, depth + 1)] : [];
    if (type === 'object' || value.properties !== undefined) return sampleObject(value, resolve, depth);
    if (type === 'string') return value.format === 'date-time' ? '2026-01-01T00:00:00.000Z' : name || 'text';
    return { integer: value.minimum ?? 1, number: value.minimum ?? 1, boolean: true }[type] ?? null;
  }

  function sampleObject({ properties = {}, required = [] }, resolve, depth) {
    const wanted = required.length > 0 ? required : Object.keys(properties).slice(0, depth === 0 ? 2 : 0);
    return Object.fromEntries(wanted.map((key) => [key, sample(properties[key] ?? {}, resolve, key, depth + 1)]));
  }

  /** The token that requests of this page are sent with. Kept by this page alone, and gone with it. */
  let token = '';

  const bodyTypeOf = (operation) => (operation.requestBody?.content?.['application/json'] ? 'application/json' : null);

  /** Fields for an operation's parameters and body, and what the server answers to them. */
  function tryOf(method, path, operation, resolve) {
    if (operation.requestBody !== undefined && bodyTypeOf(operation) === null) return null;
    const fields = (operation.parameters ?? [])
      .map((given) => resolve(given).value)
      .filter((given) => given.in === 'path' || given.in === 'query')
      .map((given) => ({ ...given, input: make('input', { autocomplete: 'off', 'aria-label': given.name }) }));
    const content = operation.requestBody?.content?.['application/json'];
    const text = content ? JSON.stringify(content.example ?? sample(content.schema ?? {}, resolve), null, 2) : null;
    const body =
      text === null
        ? null
        : make('textarea', { rows: String(Math.min(16, text.split('\n').length + 1)), 'aria-label': 'Body' });
    if (body !== null) body.value = text;
    const answer = make('pre', { class: 'answer', hidden: '' });
    const send = make('button', { type: 'button' }, 'Send');
    send.addEventListener('click', async () => {
      const filled = (where) => fields.filter((field) => field.in === where && field.input.value !== '');
      const target = filled('path').reduce(
        (at, { name, input }) => at.replace(`{${name}}`, encodeURIComponent(input.value)),
        path,
      );
      const query = new URLSearchParams(filled('query').map(({ name, input }) => [name, input.value])).toString();
      answer.hidden = false;
      if (target.includes('{')) {
        answer.textContent = 'Fill in every part of the path first.';
        return;
      }
      send.disabled = true;
      answer.textContent = 'Waiting for the answer ...';
      try {
        const response = await fetch(`${target}${query === '' ? '' : `?${query}`}`, {
          method,
          headers: {
            ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
            ...(body === null ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === null ? {} : { body: body.value }),
          signal: AbortSignal.timeout(60_000),
        });
        const received = (await response.text()).slice(0, 100_000);
        answer.textContent = `${response.status} ${response.statusText}\n${indented(received)}`;
      } catch (fault) {
        answer.textContent = `No answer: ${fault.message}`;
      } finally {
        send.disabled = false;
      }
    });
    const rows = fields.map(({ name, required, input }) =>
      make('label', {}, make('code', required ? { class: 'required' } : {}, name), input),
    );
    return make('div', { class: 'try' }, make('h4', {}, 'Try it'), ...rows, body, send, answer);
  }

  function indented(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // No JSON: shown as it is.
      return text;
    }
  }

  /** The first requests of a newcomer, ready to be pasted. */
  function firstRequests() {
    const post = (path, body, before = '') =>
      `curl -sS '${location.origin}${path}' ${before}-H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
    const { email, password, tenant_slug, tenant_name, dsl } = SAMPLES;
    const signed = '-H "Authorization: Bearer $TOKEN" ';
    const steps = [
      [
        'Sign up. The answer has a token, good for twelve hours.',
        post('/api/v1/auth/register', { tenant_slug, tenant_name, email, password }),
      ],
      [
        'Make a workflow, with the token as TOKEN. The answer has its id.',
        post('/api/v1/workflows', { name: 'Example', dsl }, signed),
      ],
      [
        'Run it, with the id as ID.',
        `curl -sS -X POST "${location.origin}/api/v1/workflows/$ID/trigger" -H "Authorization: Bearer $TOKEN"`,
      ],
    ];
    return make(
      'section',
      { id: 'first-requests' },
      make('h2', {}, 'First requests'),
      make('ol', {}, ...steps.map(([words, command]) => make('li', {}, words, make('pre', {}, command)))),
    );
  }

  function tokenField() {
    const input = make('input', {
      type: 'password',
      autocomplete: 'off',
      placeholder: 'Token or API key',
      'aria-label': 'Token',
    });
    input.addEventListener('input', () => {
      token = input.value.trim();
    });
    return make('label', { class: 'token' }, 'To try operations that need a credential: ', input);
  }

  globalThis.apiRequests = { firstRequests, make, sample, tokenField, tryOf };
})();
