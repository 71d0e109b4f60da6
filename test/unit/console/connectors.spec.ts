import {
  connectionKinds,
  connectorsMatching,
  credentialsOf,
  definitionOf,
  schemaRows,
} from '../../../console/src/model/connectors';
import { fileSize, scriptsOf, trialOf, withFile } from '../../../console/src/model/skills';

it('lists the members of a schema with their types', () => {
  const schema = {
    required: ['id'],
    properties: {
      id: { type: 'string', description: 'Its number' },
      tags: { type: 'array', items: { enum: ['a', 'b'] } },
      size: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      any: true,
    },
  };
  expect(schemaRows(schema)).toEqual([
    { name: 'id', type: 'text', isRequired: true, description: 'Its number' },
    { name: 'tags', type: 'list of a | b', isRequired: false, description: '' },
    { name: 'size', type: 'number or null', isRequired: false, description: '' },
    { name: 'any', type: 'any', isRequired: false, description: '' },
  ]);
  expect(schemaRows(null)).toEqual([]);
});

it('finds connectors by their own words and those of an action', () => {
  const actions = [{ name: 'post_message', title: 'Post a message', description: '' }];
  const slack = { name: 'chat', title: 'Slack', description: '', category: 'Communication', actions };
  expect(connectorsMatching([slack], 'slack POST', '')).toHaveLength(1);
  expect(connectorsMatching([slack], 'post', 'Communication')).toHaveLength(1);
  expect(connectorsMatching([slack], 'post', 'Finance')).toEqual([]);
  expect(connectorsMatching([slack], 'slack read', '')).toEqual([]);
});

it('says how an account is connected, and takes the credentials of a form', () => {
  expect(connectionKinds({ required: true, oauth: { provider: 'p' }, fields: [{}] }, false)).toBe(
    'OAuth or credentials',
  );
  expect(connectionKinds({ required: false, oauth: null, fields: [{}] }, false)).toBe('Credentials, if wanted');
  expect(connectionKinds({ required: true, oauth: null, fields: [{}] }, true)).toBe('OAuth or credentials');
  expect(connectionKinds({ required: false, oauth: null, fields: [] }, false)).toBe('No account');
  const values = { name: 'x', 'field.key': 'k', 'field.host': '' };
  expect(credentialsOf([{ name: 'key' }, { name: 'host' }], values)).toEqual({ key: 'k' });
  expect(definitionOf({ id: 'x', label: 'L', icon: null, outputs: [] })).toEqual({ label: 'L', outputs: [] });
});

it('knows the files of a skill', () => {
  const files = [
    { path: 'scripts/b.js', content: 'ü' },
    { path: 'assets/a.bin', base64: 'AAE=' },
  ];
  expect(files.map(fileSize)).toEqual([2, 2]);
  expect(scriptsOf(files)).toEqual(['scripts/b.js']);
  expect(withFile(files, { path: 'scripts/b.js', content: '' }).map(({ path }) => path)).toEqual([
    'assets/a.bin',
    'scripts/b.js',
  ]);
  const { steps } = trialOf({ skill: 's', act: { prompt: 'p' } });
  expect(steps).toEqual([{ id: 'use', type: 'skill', config: { skill: 's', prompt: 'p' } }]);
});
