import {
  addressOf,
  blockOf,
  blockPath,
  DOCUMENT_ON_ERROR,
  itemPath,
  iterationOf,
  iterationsOf,
  planPath,
  scopeOf,
  stepIdOf,
  stepPath,
  iterationPath,
} from '../../../dsl/step-path';

interface Place {
  plan: string;
  block: string;
  id: string;
  scope: string;
  iterations: number[];
  address: string;
}

const PLACES: Record<string, Place> = {
  ask: { plan: 'ask', block: '', id: 'ask', scope: '', iterations: [], address: 'ask' },
  'big/cases.0/ask': {
    plan: 'big/cases.0/ask',
    block: 'big/cases.0',
    id: 'ask',
    scope: '',
    iterations: [],
    address: 'ask',
  },
  'each/steps[17]/fetch': {
    plan: 'each/steps/fetch',
    block: 'each/steps[17]',
    id: 'fetch',
    scope: 'each/steps[17]',
    iterations: [17],
    address: 'fetch.17',
  },
  'poll/steps.3/check': {
    plan: 'poll/steps/check',
    block: 'poll/steps.3',
    id: 'check',
    scope: '',
    iterations: [3],
    address: 'check.3',
  },
  'a/steps[2]/b/steps.0/c/branches.1/d': {
    plan: 'a/steps/b/steps/c/branches.1/d',
    block: 'a/steps[2]/b/steps.0/c/branches.1',
    id: 'd',
    scope: 'a/steps[2]',
    iterations: [2, 0],
    address: 'd.2.0',
  },
  'a/steps.4/b/steps[10]/c': {
    plan: 'a/steps/b/steps/c',
    block: 'a/steps.4/b/steps[10]',
    id: 'c',
    scope: 'a/steps.4/b/steps[10]',
    iterations: [4, 10],
    address: 'c.4.10',
  },
  'a/steps[0]/b/steps[1]/c': {
    plan: 'a/steps/b/steps/c',
    block: 'a/steps[0]/b/steps[1]',
    id: 'c',
    scope: 'a/steps[0]/b/steps[1]',
    iterations: [0, 1],
    address: 'c.0.1',
  },
  'guard/steps/note': {
    plan: 'guard/steps/note',
    block: 'guard/steps',
    id: 'note',
    scope: '',
    iterations: [],
    address: 'note',
  },
  'steps/steps[1]/steps': {
    plan: 'steps/steps/steps',
    block: 'steps/steps[1]',
    id: 'steps',
    scope: 'steps/steps[1]',
    iterations: [1],
    address: 'steps.1',
  },
  '.on_error/mail': {
    plan: '.on_error/mail',
    block: '.on_error',
    id: 'mail',
    scope: '',
    iterations: [],
    address: 'mail',
  },
  '.on_error/each/steps[3]/mail': {
    plan: '.on_error/each/steps/mail',
    block: '.on_error/each/steps[3]',
    id: 'mail',
    scope: '.on_error/each/steps[3]',
    iterations: [3],
    address: 'mail.3',
  },
};

test.each(Object.entries(PLACES))('%s', (path, place) => {
  expect({
    plan: planPath(path),
    block: blockOf(path),
    id: stepIdOf(path),
    scope: scopeOf(path),
    iterations: iterationsOf(path),
    address: addressOf(path),
  }).toEqual(place);
  expect(iterationOf(path)).toBe(place.iterations.at(-1) ?? null);
});

test('a path is built from its parts', () => {
  expect(stepPath('', 'a')).toBe('a');
  expect(stepPath(blockPath('a', 'cases.0'), 'b')).toBe('a/cases.0/b');
  expect(stepPath(itemPath('a', 7), 'b')).toBe('a/steps[7]/b');
  expect(stepPath(iterationPath('a', 7), 'b')).toBe('a/steps.7/b');
  expect(stepPath(DOCUMENT_ON_ERROR, 'b')).toBe('.on_error/b');
});

test('blocks have a scope, a plan path and a number of their own', () => {
  expect(scopeOf(itemPath('a', 7))).toBe('a/steps[7]');
  expect(planPath(itemPath('a', 7))).toBe('a/steps');
  expect(planPath(iterationPath('a', 7))).toBe('a/steps');
  expect(iterationOf(iterationPath('a', 7))).toBe(7);
  expect(blockOf(itemPath('a', 7))).toBe('a');
  expect(blockOf(DOCUMENT_ON_ERROR)).toBe('');
});
