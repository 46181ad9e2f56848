import { execFileSync } from 'node:child_process';
import { inTestAll, chosen } from '@fair-bench/contract/test-support';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readSummary, startCommand } from '../../runner/test/support/command.ts';
import { measured } from '../../runner/test/support/measured.ts';
import { announcementsOf, connectNats } from '../src/index.ts';
import { AgentProcess } from './support/agent-process.ts';
import { natsProgram, NatsServer, needsNats } from './support/nats-server.ts';
import { textsIn } from './support/texts.ts';

const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Door {
  /** The server's own options. */
  readonly server: readonly string[];
  /** `right` is accepted by the server, `wrong` is refused. */
  readonly right: object;
  readonly wrong: object;
  readonly secrets: readonly string[];
  /** The message of a refused client, which contains the server's own words. */
  readonly refusal: RegExp;
}

const authorization = /NATS at \S+: .*authorization violation.*; give it the credentials .* by --nats-auth/i;

describe.skipIf(natsProgram === null || !hasOpenssl)(
  'a NATS server that checks who comes',
  {
    timeout: 60_000,
    ...(hasOpenssl
      ? needsNats
      : { meta: { whySkipped: 'openssl, which makes the certificates, is not on PATH' } }),
  },
  () => {
    let folder: string;
    let nats: NatsServer | null = null;
    let agent: AgentProcess | null = null;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'nats-doors-'));
      for (const name of ['ours', 'theirs']) {
        const key = `-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${name}.key -out ${name}.pem`;
        const subject = '-subj /CN=fair-bench -addext subjectAltName=IP:127.0.0.1 -days 2';
        execFileSync('openssl', ['req', '-x509', ...`${key} ${subject}`.split(' ')], {
          cwd: folder,
          stdio: 'ignore',
        });
      }
    });
    afterEach(async () => {
      await agent?.end();
      await nats?.close();
    });
    afterAll(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    const path = (file: string): string => join(folder, file);
    const tls = () => ['--tls', '--tlscert', path('ours.pem'), '--tlskey', path('ours.key')];
    const password = { user: 'bench', password: 'pass-5ecret' };

    const doors: Readonly<Record<string, () => Promise<Door> | Door>> = {
      'user and password': () => ({
        server: [...tls(), '--user', password.user, '--pass', password.password],
        right: { ...password, caFile: 'ours.pem' },
        wrong: { user: 'bench', password: 'other-5ecret', caFile: 'ours.pem' },
        secrets: ['pass-5ecret', 'other-5ecret'],
        refusal: authorization,
      }),
      'a token': () => ({
        server: ['--auth', 'token-5ecret'],
        right: { token: 'token-5ecret' },
        wrong: { token: 'other-5ecret' },
        secrets: ['token-5ecret', 'other-5ecret'],
        refusal: authorization,
      }),
      'an nkey and a certificate': async () => {
        const [mine, other] = [nkeys.createUser(), nkeys.createUser()];
        const seeds = [mine, other].map((pair) => new TextDecoder().decode(pair.getSeed()));
        await writeFile(path('mine.nk'), seeds[0] ?? '');
        await writeFile(path('other.nk'), seeds[1] ?? '');
        await writeFile(path('nkey.conf'), `authorization { users: [ { nkey: ${mine.getPublicKey()} } ] }`);
        const files = { caFile: 'ours.pem', certFile: 'ours.pem', keyFile: 'ours.key' };
        return {
          server: [...tls(), '--tlsverify', '--tlscacert', path('ours.pem'), '-c', path('nkey.conf')],
          right: { nkeyFile: 'mine.nk', ...files },
          wrong: { nkeyFile: 'other.nk', ...files },
          secrets: seeds,
          refusal: authorization,
        };
      },
      'a certificate that its clients know': () => ({
        server: [...tls(), '--user', password.user, '--pass', password.password],
        right: { ...password, caFile: 'ours.pem' },
        wrong: { ...password, caFile: 'theirs.pem' },
        secrets: [password.password],
        refusal: /NATS at \S+: .*certificate.*; .*--nats-auth FILE names its caFile/,
      }),
    };

    /** A run on null-http by agent a1, with the credentials of a file. */
    function run(url: string, file: string, out: string) {
      const load =
        '--systems null-http --set null-http.delayMs=5 --processes 1 --sessions 4 --depth 1 --alpha 0.5 --accounts 1000 --trials 1';
      const times = '--duration 700ms --warmup 300ms --measure-again 3 --load-agents a1';
      const words = ['--nats', url, '--nats-auth', path(file), '--out', resolve(folder, out)];
      return startCommand(['fair-bench', ...`${load} ${times}`.split(' '), ...words]);
    }

    test.each(chosen(Object.entries(doors), (_door, place) => place > 1))(
      'by %s: lets in who has it, refuses an agent and a run without it, and no secret is said',
      async (name, doorOf) => {
        const door = await doorOf();
        nats = await NatsServer.start('127.0.0.1', [], door.server);
        const url = `${door.server.includes('--tls') ? 'tls' : 'nats'}://127.0.0.1:${nats.port}`;
        await writeFile(path('right.json'), JSON.stringify(door.right));
        await writeFile(path('wrong.json'), JSON.stringify(door.wrong));

        const stranger = AgentProcess.start('a2', url, {
          extra: ['--nats-auth', path('wrong.json')],
          until: door.refusal,
        });
        const refused = run(url, 'wrong.json', `refused by ${name}`);
        agent = await AgentProcess.start('a1', url, { extra: ['--nats-auth', path('right.json')] });
        const guest = await connectNats({ url, authFile: path('right.json') }, { name: 'guest' });
        const present = await announcementsOf(guest);
        await guest.close();

        expect(present.map((one) => one.name)).toEqual(['a1']);
        expect(await refused.ended).toBe(2);
        expect(refused.output()).toMatch(door.refusal);
        const { said } = await stranger;
        await (await stranger).end();
        for (const text of [agent.said, refused.output(), said])
          for (const secret of door.secrets) expect(text).not.toContain(secret);
      },
    );

    inTestAll(() => {
      test('carries a run, in the artifacts, logs and words of which no secret is', async () => {
        nats = await NatsServer.start(
          '127.0.0.1',
          [],
          [...tls(), '--user', 'bench', '--pass', 'pass-5ecret'],
        );
        const url = `tls://127.0.0.1:${nats.port}`;
        await writeFile(path('auth.json'), JSON.stringify({ ...password, caFile: 'ours.pem' }));
        agent = await AgentProcess.start('a1', url, { extra: ['--nats-auth', path('auth.json')] });
        const { out, output } = await measured(folder, (to) => run(url, 'auth.json', to));

        const { cells, run: about } = await readSummary(out);
        expect(cells, output).toMatchObject([{ status: 'ok', audit: { status: 'passed' } }]);
        expect(about.environment.loadAgents).toMatchObject([{ name: 'a1' }]);
        const kept = await textsIn(out);
        expect(kept.length).toBeGreaterThan(3);
        for (const text of [...kept, output, agent.said]) expect(text).not.toContain('pass-5ecret');
      }, 120_000);
    });

    test('without TLS hears no password of who wants TLS', async () => {
      let heard = '';
      const natsDouble = createServer((socket) => {
        socket.on('data', (chunk) => (heard += chunk.toString())).on('error', () => undefined);
        socket.write('INFO {"server_id":"double","version":"2.10.0","proto":1,"max_payload":1048576}\r\n');
      });
      natsDouble.listen(0, '127.0.0.1');
      await once(natsDouble, 'listening');
      const address = z.object({ port: z.number() }).parse(natsDouble.address());
      await writeFile(path('auth.json'), JSON.stringify(password));
      const access = { url: `tls://127.0.0.1:${address.port}`, authFile: path('auth.json') };
      await expect(connectNats(access, { name: 'guest' })).rejects.toThrow(
        /NATS at tls:\S+: .*'tls'; use tls:\/\/ for a server with TLS and nats:\/\/ for one without/,
      );
      natsDouble.close();
      expect(heard).not.toContain('pass-5ecret');
    });
  },
);
