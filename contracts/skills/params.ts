export const optional = { optional: true } as const;

/** What is in them is looked at by the rules of skills, which tell every fault at once. */
export const fields = {
  name: { type: 'string', ...optional },
  description: { type: 'string', ...optional },
  version: { type: 'any', ...optional },
  license: { type: 'any', ...optional },
  metadata: { type: 'any', ...optional },
  allowed_tools: { type: 'any', ...optional },
  instructions: { type: 'string', max: 262_144, ...optional },
  files: { type: 'any', ...optional },
} as const;

export const count = { type: 'number', integer: true, min: 0 } as const;

export const version = { type: 'string', min: 1, max: 64, ...optional } as const;

export const hash = { type: 'string', length: 64 } as const;

export const slice = { offset: { ...count, ...optional }, limit: { ...count, ...optional } } as const;
