import { isHostPattern, isSecureUrl } from '../../../../lib/host-pattern';
import { isPlainUrl } from '../../../../lib/plain-url';
import { connectors, connectorsByName } from '../../../../nodes/connectors';
import { definitionOf } from '../../../../services/connections/oauth-apps/definition';
import { PRESETS } from '../../../../services/connections/oauth-apps/presets';
import { credentialsForSteps, settingsOf } from '../../../../services/connections/oauth-apps/settings';

/** What providers answer with tokens, or about their account. */
const VALUES = {
  dc: 'us6',
  cloud_id: 'c1',
  instance_url: 'https://acme.my.salesforce.com',
  api_domain: 'https://x.pipedrive.com',
};
const providers = new Set(connectors.flatMap(({ auth }) => auth.oauth?.provider ?? []));

test('there are presets for at least 25 providers, each once, sorted by title', () => {
  expect(PRESETS.length).toBeGreaterThanOrEqual(25);
  expect(new Set(PRESETS.map(({ id }) => id)).size).toBe(PRESETS.length);
  const titles = PRESETS.map(({ title }) => title.toLowerCase());
  expect(titles).toEqual([...titles].sort());
});

describe.each(PRESETS.map((preset) => [preset.id, preset] as const))('the preset %s', (id, preset) => {
  const variables = Object.fromEntries((preset.variables ?? []).map(({ name, example }) => [name, example]));
  const settings = settingsOf(definitionOf({ preset: id, variables, client_secret: 's' }), false);

  it('makes an app whose addresses are complete and use https', () => {
    const urls = [settings?.authorizeUrl, settings?.tokenUrl, settings?.revokeUrl, preset.docs].filter(
      (url): url is string => typeof url === 'string',
    );
    for (const url of urls) expect([url, isSecureUrl(url) && !/[{}]/.test(url)]).toEqual([url, true]);
    for (const url of urls.slice(0, -1)) expect([url, isPlainUrl(url)]).toEqual([url, true]);
    expect(settings?.hosts.every(isHostPattern)).toBe(true);
    expect(settings?.hosts).not.toHaveLength(0);
  });

  it('is for a connector that has all of its fields then', () => {
    if (preset.connector === undefined || preset.connector === 'microsoft') return;
    const connector = connectorsByName.get(preset.connector);
    expect([connector !== undefined || providers.has(preset.connector)]).toEqual([true]);
    const credentials = credentialsForSteps({ preset, variables }, { ...VALUES, access_token: 'the-token' });
    if (connector === undefined) return;
    const signed = JSON.stringify(connector.sign({ method: 'GET', url: '/' }, { credentials }));
    const forms = ['the-token', Buffer.from('everstep:the-token-us6').toString('base64')];
    expect(forms.some((form) => signed.includes(form))).toBe(true);
    // An OAuth connection needs no user name, key or token beside its access token, but an address where there is one.
    const addresses = connector.auth.fields.filter(({ format, required }) => format === 'url' && required);
    for (const { name } of addresses)
      expect([name, credentials[name]]).toEqual([name, expect.stringMatching(/^https:/)]);
    expect(connector.base({ credentials })).toMatch(/^https:/);
  });
});
