import { Profiles } from '../../../cli/profiles';
import { runProgram } from '../../../cli/program';
import { machine, serving } from './machine';

describe('a login to an account with a second factor', () => {
  const wrong = { error: 'The code is wrong', code: 'invalid_code' };
  const asked = { error: 'Send the challenge', code: 'second_factor_challenge', second_factor: { challenge: 'c1' } };

  /** A server that asks for a second factor; the proofs that it got. */
  const asking = async (
    action: (url: string, proofs: unknown[]) => Promise<void>,
    methods?: readonly string[],
  ): Promise<void> => {
    const proofs: unknown[] = [];
    const answer = { ...asked, second_factor: { ...asked.second_factor, ...(methods && { methods }) } };
    await serving(
      (request, response) => {
        let text = '';
        request.on('data', (chunk: Buffer) => (text += chunk.toString()));
        request.on('end', () => {
          const [status, body] = request.url?.endsWith('/second-factor')
            ? [text.includes('000000') ? 401 : 200, text.includes('000000') ? wrong : { token: 'a-token' }]
            : request.url?.endsWith('/login')
              ? [401, answer]
              : [200, { email: 'a@b.example', role: 'owner', tenant: { slug: 'finch' } }];
          if (request.url?.endsWith('/second-factor')) proofs.push(JSON.parse(text));
          response.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        });
      },
      (url) => action(url, proofs),
    );
  };
  const words = (url: string): string[] => ['login', url, '--tenant', 'finch', '--email', 'a@b.example'];

  it('asks for the code, or takes a recovery code, and stores the session', async () => {
    await asking(async (url, proofs) => {
      const { world } = machine({ EVERSTEP_PASSWORD: 'a password' });
      expect(await runProgram(words(url), { ...world, ask: async () => '123 456' })).toBe('ok');
      expect(await runProgram(words(url), { ...world, ask: async () => 'ab2c-d3ef-gh4i-jk5m' })).toBe('ok');
      expect(proofs).toEqual([
        { challenge: 'c1', code: '123 456' },
        { challenge: 'c1', recovery_code: 'ab2c-d3ef-gh4i-jk5m' },
      ]);
      expect(new Profiles(world).find('default')).toMatchObject({ credential: 'a-token', kind: 'token' });
    });
  });

  it('takes the code as the second line of standard input, and fails with a wrong one', async () => {
    await asking(async (url, proofs) => {
      const { world } = machine();
      const line = [...words(url), '--stdin'];
      expect(await runProgram(line, { ...world, readAll: async () => 'a password\n654321\n' })).toBe('ok');
      expect(await runProgram(line, { ...world, readAll: async () => 'a password\n000000\n' })).toBe('signed_out');
      expect(proofs).toEqual([
        { challenge: 'c1', code: '654321' },
        { challenge: 'c1', code: '000000' },
      ]);
    });
  });

  it('says of a passkey that it needs a browser, and takes a recovery code', async () => {
    await asking(
      async (url, proofs) => {
        const { world, output } = machine({ EVERSTEP_PASSWORD: 'a password' });
        const questions: string[] = [];
        const ask = async (question: string): Promise<string> => {
          questions.push(question);
          return 'ab2c-d3ef-gh4i-jk5m';
        };
        expect(await runProgram(words(url), { ...world, ask })).toBe('ok');
        expect(questions).toEqual(['Recovery code: ']);
        expect(output.err).toContain(`sign in at ${url}/console, create an API key there`);
        expect(proofs).toEqual([{ challenge: 'c1', recovery_code: 'ab2c-d3ef-gh4i-jk5m' }]);
      },
      ['passkey', 'recovery_code'],
    );
  });

  it('says what to do with a passkey where no recovery code is left, and asks for nothing', async () => {
    await asking(
      async (url, proofs) => {
        const { world, output } = machine({ EVERSTEP_PASSWORD: 'a password' });
        expect(await runProgram(words(url), { ...world, ask: async () => 'never' })).toBe('refused');
        expect(output.err).toContain('--api-key');
        expect(proofs).toEqual([]);
      },
      ['passkey'],
    );
  });
});
