import type { ServerPlace } from './start-server.ts';

/** A certificate that its server signed itself, for sessions that are encrypted and verify nothing. Resolves with the paths of both files. */
export async function writeCertificate({
  write,
}: Pick<ServerPlace, 'write'>): Promise<{ readonly certificate: string; readonly key: string }> {
  const made = await selfSigned();
  return {
    certificate: await write('server.crt', made.certificate),
    key: await write('server.key', made.key),
  };
}

/** As PEM, for `127.0.0.1` and `localhost`; RSA of 2,048 bits, as MySQL makes by itself. */
async function selfSigned(): Promise<{ readonly certificate: string; readonly key: string }> {
  // Only a server with TLS pays for it.
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { certificate: made.cert, key: made.private };
}
