// Shows the OpenAPI document of the installation that serves this page. Everything is made as text nodes: what the
// document says is never read as HTML.
'use strict';

const { firstRequests, make, sample, tokenField, tryOf } = globalThis.apiRequests;

/** What a document of this kind has behind its references. */
const resolver = (root) => (value) => {
  const reference = value?.$ref;
  if (typeof reference !== 'string') return { value, name: null };
  const steps = reference.slice(2).split('/');
  const found = steps.reduce((at, step) => at?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], root);
  return { value: found, name: steps.at(-1) };
};

/** Texts of comments use backticks for code, and nothing else of Markdown. */
const prose = (text) =>
  text.split(/(`[^`]+`)/).map((part) => (part.startsWith('`') ? make('code', {}, part.slice(1, -1)) : part));

const LIMITS = [
  ['format', ''],
  ['minLength', 'at least '],
  ['maxLength', 'at most '],
  ['minimum', 'from '],
  ['maximum', 'to '],
  ['maxItems', 'at most '],
  ['pattern', 'like '],
];

function typeOf(schema, resolve) {
  const { value, name } = resolve(schema);
  if (name !== null) return name;
  if (value.const !== undefined) return JSON.stringify(value.const);
  if (value.enum !== undefined) return value.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (value.anyOf !== undefined) return value.anyOf.map((each) => typeOf(each, resolve)).join(' | ');
  if (value.type === 'array') return `list of ${typeOf(value.items ?? {}, resolve)}`;
  return [value.type ?? 'any'].flat().join(' | ');
}

const limitsOf = (schema) =>
  LIMITS.flatMap(([key, words]) => (schema[key] === undefined ? [] : [`${words}${schema[key]}`])).join(', ');

/** The members of a schema and of the schemas that it refers to; `seen` stops recursive schemas. */
function members(schema, resolve, seen = []) {
  const { value, name } = resolve(schema);
  if (value === undefined || (name !== null && seen.includes(name)) || seen.length > 6) return null;
  const deeper = name === null ? seen : [...seen, name];
  if (value.type === 'array') return members(value.items ?? {}, resolve, deeper);
  if (value.anyOf !== undefined) {
    const shown = value.anyOf.map((each) => members(each, resolve, deeper)).filter((list) => list !== null);
    return shown.length === 0 ? null : make('div', {}, shown);
  }
  if (value.properties === undefined) return null;
  const rows = Object.entries(value.properties).map(([key, member]) => {
    const about = resolve(member).value ?? {};
    const words = member.description ?? about.description;
    const label = make('code', (value.required ?? []).includes(key) ? { class: 'required' } : {}, key);
    const type = make(
      'span',
      { class: 'type' },
      ` ${[typeOf(member, resolve), limitsOf(about)].filter(Boolean).join(', ')}`,
    );
    return make(
      'li',
      {},
      label,
      type,
      words ? make('span', { class: 'about' }, prose(words)) : null,
      members(member, resolve, deeper),
    );
  });
  return make('ul', { class: 'schema' }, rows);
}

function contentOf(content, resolve) {
  return Object.entries(content ?? {}).map(([type, { schema, example }]) =>
    make(
      'div',
      {},
      make('p', {}, make('code', {}, type), make('span', { class: 'type' }, ` ${typeOf(schema ?? {}, resolve)}`)),
      members(schema ?? {}, resolve),
      example === undefined ? null : make('pre', {}, JSON.stringify(example, null, 2)),
    ),
  );
}

function parametersOf(parameters, resolve) {
  if (parameters.length === 0) return null;
  const rows = parameters.map((given) => {
    const { name, in: where, required, description, schema } = resolve(given).value;
    const label = make('code', required ? { class: 'required' } : {}, name);
    const type = [typeOf(schema, resolve), limitsOf(schema)].filter(Boolean).join(', ');
    return make(
      'tr',
      {},
      make('td', {}, label),
      make('td', {}, where),
      make('td', {}, type),
      make('td', {}, prose(description ?? '')),
    );
  });
  const head = make(
    'tr',
    {},
    ['name', 'in', 'type', ''].map((title) => make('th', { scope: 'col' }, title)),
  );
  return make('div', {}, make('h4', {}, 'Parameters'), make('table', {}, head, rows));
}

function responsesOf(responses, resolve) {
  const rows = Object.entries(responses).map(([status, given]) => {
    const { description, content } = resolve(given).value;
    // All error responses have the same body, so it is shown once.
    const body = Number(status) < 400 ? contentOf(content, resolve) : [];
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, status),
      make('td', {}, make('div', {}, prose(description)), body),
    );
  });
  return make('div', {}, make('h4', {}, 'Answers'), make('table', {}, rows));
}

function curlOf(method, path, operation, resolve) {
  const content = operation.requestBody?.content?.['application/json'];
  const lines = [`curl -X ${method} '${location.origin}${path}'`];
  if (operation.security.some((scheme) => 'bearer' in scheme || 'workflowKey' in scheme))
    lines.push(`-H "Authorization: Bearer $TOKEN"`);
  if (content !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`);
    const body = JSON.stringify(content.example ?? sample(content.schema ?? {}, resolve));
    lines.push(`-d '${body.replaceAll("'", `'\\''`)}'`);
  }
  return make('pre', {}, lines.join(' \\\n  '));
}

/** What people look for together; tags that stand in no group come last. */
const GROUPS = [
  ['Workflows and runs', ['workflows', 'executions', 'webhooks', 'files']],
  ['Accounts', ['auth', 'secrets', 'audit', 'billing']],
  ['Other services', ['connections', 'connectors', 'channels', 'messaging', 'chat']],
  ['Models and knowledge', ['ai', 'knowledge', 'skills']],
];

function grouped(tags) {
  const known = GROUPS.flatMap(([, names]) => names);
  const rest = tags.map(({ name }) => name).filter((name) => !known.includes(name));
  return [...GROUPS, ['The service itself', rest]].map(([title, names]) => ({
    title,
    tags: names.flatMap((name) => tags.find((tag) => tag.name === name) ?? []),
  }));
}

function operationOf(method, path, operation, resolve) {
  const body = operation.requestBody === undefined ? null : contentOf(operation.requestBody.content, resolve);
  const title = make(
    'summary',
    {},
    make('span', { class: 'role' }, operation['x-role'] ?? 'public'),
    make('span', { class: `method ${method}` }, method),
    make('code', {}, path),
    make('span', { class: 'about' }, prose(operation.summary)),
  );
  const shown = make('details', { class: 'operation', id: operation.operationId }, title);
  // Made when it is opened: all of them at once are tens of thousands of elements.
  shown.addEventListener('toggle', () => {
    if (!shown.open || shown.childElementCount > 1) return;
    shown.append(
      make(
        'div',
        {},
        make('p', {}, make('code', {}, operation.operationId)),
        operation.description ? make('p', {}, prose(operation.description)) : null,
        parametersOf(operation.parameters ?? [], resolve),
        body === null ? null : make('div', {}, make('h4', {}, 'Body'), body),
        responsesOf(operation.responses, resolve),
        tryOf(method, path, operation, resolve),
        make('h4', {}, 'By curl'),
        curlOf(method, path, operation, resolve),
      ),
    );
  });
  return shown;
}

function show(api) {
  const resolve = resolver(api);
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const searched = [];
  const groups = [];
  const main = document.getElementById('main');
  const contents = document.getElementById('contents');
  const guides = make('div', {});
  const about = api.info.description.split('\n\n').map((text) => make('p', {}, prose(text)));
  const link = make('a', { href: '/openapi.json' }, '/openapi.json');
  main.replaceChildren(
    make('h1', {}, `${api.info.title} ${api.info.version}`),
    ...about,
    make('p', {}, 'As a document: ', link),
    firstRequests(),
    tokenField(),
  );
  contents.append(guides);
  const sections = grouped(api.tags).flatMap(({ title, tags }) =>
    tags.map((tag, n) => ({ ...tag, title: n === 0 ? title : null })),
  );
  for (const { name, description, title } of sections) {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const heading = title === null ? null : make('h2', { class: 'group' }, title);
    const section = make('section', {}, heading, make('h3', {}, name), make('p', {}, description));
    const list = make('div', {}, title === null ? null : make('h2', { class: 'group' }, title), make('h3', {}, name));
    for (const { method, path, operation } of own) {
      const shown = operationOf(method, path, operation, resolve);
      const entry = make(
        'a',
        { href: `#${operation.operationId}`, title: operation.summary },
        make('span', { class: method }, method),
        ` ${path}`,
      );
      section.append(shown);
      list.append(entry);
      searched.push({
        text: `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase(),
        parts: [shown, entry],
      });
    }
    main.append(section);
    contents.append(list);
    groups.push({ parts: [section, list], entries: searched.slice(searched.length - own.length) });
  }
  void showGuides(guides, searched, groups);
  document.getElementById('search').addEventListener('input', ({ target }) => {
    const words = target.value.toLowerCase().split(/\s+/);
    for (const { text, parts } of searched) {
      for (const part of parts) part.hidden = !words.every((word) => text.includes(word));
    }
    for (const { parts, entries } of groups) {
      for (const part of parts) part.hidden = entries.every((entry) => entry.parts[0].hidden);
    }
  });
  const goTo = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target === null || target.tagName !== 'DETAILS') return;
    target.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', goTo);
  goTo();
}

/** Links to the guides, found by their titles and headings. */
async function showGuides(list, searched, groups) {
  const response = await fetch('/docs/guides');
  const { data } = await response.json();
  const entries = data.map(({ name, title, headings }) => {
    const entry = make('a', { href: `/docs/guides/${name}` }, title);
    const text = [title, ...headings.map((heading) => heading.text)].join(' ').toLowerCase();
    return { text, parts: [entry] };
  });
  list.append(make('h2', { class: 'group' }, 'Guides'), ...entries.flatMap(({ parts }) => parts));
  searched.push(...entries);
  groups.push({ parts: [list], entries });
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(show)
  .catch((fault) => {
    document
      .getElementById('main')
      .replaceChildren(make('p', {}, `The description could not be shown: ${fault.message}`));
  });
