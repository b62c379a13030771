// Plants one bug after the other in a copy of the tree and looks whether the tests of conversations notice. Nothing here is changed.
// Usage: node bench/planted-bugs.mjs [word of a bug's name]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bugs = [
  {
    name: 'an earlier block is edited',
    file: 'conversation/history-walk.ts',
    from: 'this.#place(turn, block, newest);\n    }',
    to: 'this.#place(turn, newest ? block : { ...block, text: `${block.text}\\n` }, newest);\n    }',
  },
  {
    name: 'a text is told twice: in place of the line that it applies again',
    file: 'conversation/diff.ts',
    from: 'delta.restored.push(id);',
    to: 'delta.changed.push({ id, text: now.text });',
  },
  {
    name: 'a text is told twice: what is told is not counted',
    file: 'conversation/history-walk.ts',
    from: '    hear(this.told, block.said);\n    this.carried.push',
    to: '    if (newest) hear(this.told, block.said);\n    this.carried.push',
  },
  {
    name: 'a text is omitted: what another history was told counts',
    file: 'conversation/history-walk.ts',
    from: '    this.#tools = tools;\n',
    to: '    this.#tools = tools;\n    for (const { said } of ledger.blocks.values()) hear(this.told, said);\n',
  },
  {
    name: 'a second plan replaces the first',
    file: 'conversation/plan.ts',
    from: 'const entry = stops.entries[position];',
    to: 'const entry = isNewest ? undefined : stops.entries[position];',
  },
  {
    name: 'what was delivered last replaces what was delivered first',
    file: 'conversation/settle.ts',
    from: 'if (!ledger.entries.has(anchor)) ledger',
    to: 'ledger',
  },
  {
    name: 'sections stand in order of arrival',
    file: 'render/render.ts',
    from: 'rows.sort((left, right) => byCodeUnit(left.id, right.id));',
    to: '',
  },
  {
    name: 'a block stands before a tool result: at the start of the message',
    file: 'formats/anthropic-messages.ts',
    from: "if (content[at]?.type === 'tool_result') return at + 1;",
    to: '',
  },
  {
    name: 'a block stands before a tool result of the next message',
    file: 'conversation/plan.ts',
    from: 'entry.block !== undefined && resultLater(turns, position)',
    to: 'false',
  },
  {
    name: 'a pending server is read as removed',
    file: 'conversation/diff.ts',
    from: '!inForce.has(id)',
    to: "(inForce.get(id) ?? 'hold') === 'hold'",
  },
  {
    name: 'an entry in use is evicted',
    file: 'conversation/ledger-bounds.ts',
    from: '.filter(([, entry]) => entry.used < ledger.clock)',
    to: '',
  },
  {
    name: 'a record of another branch is used',
    file: 'conversation/lineage.ts',
    from: 'return foreign ?? NONE;',
    to: 'return foreign === undefined ? NONE : NONE;',
  },
  {
    name: 'what the API summed up counts as told',
    file: 'conversation/history-walk.ts',
    from: '    this.told.clear();\n',
    to: '',
  },
];

const [wanted = ''] = process.argv.slice(2);
const root = new URL('..', import.meta.url).pathname;
const copy = mkdtempSync(join(tmpdir(), 'planted-'));
for (const name of ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
  cpSync(join(root, name), join(copy, name), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/** How many tests fail; `undefined` when they did not run. */
function failures() {
  const tests = ['test/conversation', 'test/render', 'test/e2e/threads.test.ts', 'test/e2e/settling.test.ts'];
  const { stdout } = spawnSync('npx', ['vitest', 'run', '--reporter=json', ...tests], {
    cwd: copy,
    env: { ...process.env, MODEL_RUNS: '60' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const start = stdout.indexOf('{"num');
  if (start < 0) return undefined;
  const report = JSON.parse(stdout.slice(start, stdout.lastIndexOf('}') + 1));
  const failed = report.testResults.flatMap((file) =>
    file.assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
  );
  return { failed, total: report.numTotalTests };
}

let missed = 0;
try {
  const clean = failures();
  if (clean === undefined || clean.failed.length > 0) {
    console.error('without a bug the tests must pass', clean?.failed);
    process.exitCode = 2;
  } else {
    console.log(`${clean.total} tests pass without a bug`);
    for (const { name, file, from, to } of bugs.filter((bug) => bug.name.includes(wanted))) {
      const path = join(copy, 'src', file);
      const text = readFileSync(path, 'utf8');
      const planted = text.replace(from, to);
      if (planted === text) throw new Error(`${name}: its place in ${file} is gone`);
      writeFileSync(path, planted);
      const found = failures();
      writeFileSync(path, text);
      const count = found?.failed.length ?? 0;
      if (count === 0) missed += 1;
      console.log(`${count === 0 ? 'MISSED' : 'caught'}  ${name}: ${count} tests fail`);
    }
    process.exitCode = missed === 0 ? 0 : 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
