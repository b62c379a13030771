import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A package that has to be absent unless it is asked for: an empty folder hides one that lies further up. */
const OPTIONAL_PEER = '@anthropic-ai/sdk';

/** The built package in a folder of its own, with its dependencies and nothing else of ours in reach. */
export class InstalledCopy implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), 'installed-'));
  readonly main: string = join(this.path, 'dist/cli/main.js');

  /** @param extra packages that are there beside the dependencies */
  constructor(extra: readonly string[] = []) {
    const built = join(root, 'dist');
    if (!existsSync(join(built, 'cli/main.js'))) throw new Error('expected a build: npm run build');
    cpSync(built, join(this.path, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(this.path, 'package.json'));
    const manifest: { dependencies: object } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const name of [...Object.keys(manifest.dependencies), ...extra]) {
      const link = join(this.path, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), link);
    }
    if (!extra.includes(OPTIONAL_PEER)) {
      mkdirSync(join(this.path, 'node_modules', OPTIONAL_PEER), { recursive: true });
    }
  }

  /** The living processes that were started from here. */
  processes(): readonly number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.path);
        } catch {
          return false;
        }
      });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
