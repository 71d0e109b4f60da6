import { isToken } from '../../../lib/egress';
import { isObject } from '../../../lib/json';
import type { ImportedScheme } from '../../../nodes/connectors/imported';
import { membersOf, type Source, textOf } from './source';

const MAX_SCHEMES = 10;

/** Authentication of requests, by the document: OpenAPI 3 or Swagger 2. */
export function schemesIn(source: Source): ImportedScheme[] {
  const { components, securityDefinitions } = source.root;
  const given = isObject(components) ? components.securitySchemes : securityDefinitions;
  const used = new Set<string>();
  return membersOf(given)
    .slice(0, MAX_SCHEMES)
    .flatMap(([name, value]) => schemeOf(name, source.resolve(value), used));
}

function schemeOf(name: string, scheme: Record<string, unknown> | null, used: Set<string>): ImportedScheme[] {
  if (scheme === null) return [];
  const description = textOf(scheme.description);
  const field = (word: string): string => unique(word, used);
  switch (scheme.type) {
    case 'apiKey': {
      const { in: place, name: wire } = scheme;
      if (typeof wire !== 'string' || (place !== 'header' && place !== 'query' && place !== 'cookie')) return [];
      if (place !== 'query' && !isToken(wire)) return [];
      const words = description || `Sent as ${wire} in the ${place}.`;
      return [{ kind: 'api_key', in: place, name: wire, field: field(fieldName(name)), description: words }];
    }
    case 'basic':
      return [basic(description, field)];
    case 'http': {
      if (textOf(scheme.scheme).toLowerCase() === 'basic') return [basic(description, field)];
      if (textOf(scheme.scheme).toLowerCase() !== 'bearer') return [];
      return [{ kind: 'bearer', field: field('token'), description: description || 'Sent as a bearer token.' }];
    }
    case 'oauth2':
    case 'openIdConnect': {
      const words = 'An access token, from the provider; it is not refreshed.';
      return [
        {
          kind: 'bearer',
          field: field('access_token'),
          description: description === '' ? words : `${description} ${words}`,
        },
      ];
    }
    default:
      return [];
  }
}

const basic = (description: string, field: (word: string) => string): ImportedScheme => ({
  kind: 'basic',
  user: field('username'),
  password: field('password'),
  description: description || 'Who asks.',
});

/** A name of a scheme as one of a field. */
function fieldName(name: string): string {
  const word = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 50);
  return word === '' ? 'api_key' : word;
}

function unique(word: string, used: Set<string>): string {
  let name = word;
  for (let number = 2; used.has(name); number += 1) name = `${word}_${number}`;
  used.add(name);
  return name;
}
