import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { readPinFile, updatePinFile, versionOf } from '../../../src/injector/trust/pin-file.js';
import { Folder } from '../../servers/support/lab.js';

let folder: Folder;
let path: string;

beforeEach(() => {
  folder = new Folder();
  path = folder.file('pins.json');
});

afterEach(() => folder[Symbol.dispose]());

test('a file that is not there is none, and is made with its folder', async () => {
  const deep = folder.file('a/b/pins.json');
  expect(await readPinFile(deep)).toEqual({ text: undefined, version: 'missing' });
  await updatePinFile(deep, () => 'first');
  expect(readFileSync(deep, 'utf8')).toBe('first');
});

test('what stands in the way of reading is no missing file', async () => {
  mkdirSync(path);
  await expect(readPinFile(path)).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(readPinFile(`${folder.file('other')}/../pins.json/x`)).resolves.toMatchObject({
    version: 'missing',
  });
  writeFileSync(folder.file('plain'), '');
  await expect(readPinFile(folder.file('plain/pins.json'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('the version changes with the file', async () => {
  writeFileSync(path, 'one');
  const before = await versionOf(path);
  expect(await versionOf(path)).toBe(before);
  await updatePinFile(path, () => 'two');
  expect(await versionOf(path)).not.toBe(before);
});

test('nobody else’s change is lost, however many write at once', async () => {
  const numbers = Array.from({ length: 12 }, (_, index) => index);
  await Promise.all(
    numbers.map((number) =>
      updatePinFile(path, (text) => `${text ?? ''}${String.fromCharCode(97 + number)}`),
    ),
  );
  expect(readFileSync(path, 'utf8').split('').toSorted().join('')).toBe('abcdefghijkl');
  expect(readdirSync(folder.path)).toEqual(['pins.json']);
});

test('a failed change leaves the file and no lock behind', async () => {
  writeFileSync(path, 'kept');
  const failing = updatePinFile(path, () => {
    throw new Error('scripted');
  });
  await expect(failing).rejects.toThrow('scripted');
  expect(readdirSync(folder.path)).toEqual(['pins.json']);
  expect(readFileSync(path, 'utf8')).toBe('kept');
});

test('a read-only file stays as it is, also for a superuser', async () => {
  writeFileSync(path, 'kept');
  chmodSync(path, 0o444);
  await expect(updatePinFile(path, () => 'new')).rejects.toMatchObject({ code: 'read-only' });
  expect(readFileSync(path, 'utf8')).toBe('kept');
  // Nothing to change needs no right to.
  await updatePinFile(path, (text) => text);
});

test('permissions stay, and a link leads to the same file', async () => {
  writeFileSync(path, 'one');
  chmodSync(path, 0o640);
  const link = folder.file('link.json');
  symlinkSync(path, link);
  await updatePinFile(link, (text) => `${text} two`);
  expect(readFileSync(path, 'utf8')).toBe('one two');
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder.path).toSorted()).toEqual(['link.json', 'pins.json']);
});

test('a link to a file that is not there yet stays a link, and the file is made where it leads', async () => {
  const [first, second] = [folder.file('first.json'), folder.file('second.json')];
  symlinkSync('second.json', first);
  symlinkSync('deep/pins.json', second);
  await updatePinFile(first, (text) => `${text ?? 'none'} one`);
  await updatePinFile(first, (text) => `${text} two`);
  expect(readFileSync(folder.file('deep/pins.json'), 'utf8')).toBe('none one two');
  expect([first, second].map((link) => lstatSync(link).isSymbolicLink())).toEqual([true, true]);
  symlinkSync('circle.json', folder.file('circle.json'));
  await expect(updatePinFile(folder.file('circle.json'), () => 'x')).rejects.toMatchObject({ code: 'ELOOP' });
});

test('a pipe is no file, and nobody waits for it', async () => {
  execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
  await expect(readPinFile(path)).rejects.toMatchObject({ code: 'not-a-file' });
  await expect(updatePinFile(path, () => 'new')).rejects.toMatchObject({ code: 'not-a-file' });
  expect(readdirSync(folder.path)).toEqual(['pins.json']);
});

test('what is too large is neither read nor written', async () => {
  writeFileSync(path, ' '.repeat(8 * 1024 * 1024 + 1));
  await expect(readPinFile(path)).rejects.toMatchObject({ code: 'too-large' });
  writeFileSync(path, 'small');
  const large = updatePinFile(path, () => 'é'.repeat(4 * 1024 * 1024 + 1));
  await expect(large).rejects.toMatchObject({ code: 'too-large' });
  expect(readFileSync(path, 'utf8')).toBe('small');
});

test('a change that keeps size and time is seen', async () => {
  writeFileSync(path, 'one');
  utimesSync(path, 1000, 1000);
  const before = await versionOf(path);
  writeFileSync(path, 'two');
  utimesSync(path, 1000, 1000);
  expect(await versionOf(path)).not.toBe(before);
});

test.each(['1970-01-01', '2999-01-01'])(
  'the lock of a process that is gone is broken: made %s',
  async (date) => {
    const lock = `${path}.lock`;
    writeFileSync(lock, '');
    utimesSync(lock, new Date(date), new Date(date));
    await updatePinFile(path, () => 'new');
    expect(readdirSync(folder.path)).toEqual(['pins.json']);
  },
);

test('a lock that is held is waited for', async () => {
  const lock = `${path}.lock`;
  writeFileSync(lock, '');
  const order: string[] = [];
  const writing = updatePinFile(path, () => {
    order.push('written');
    return 'new';
  });
  const { promises } = await import('node:fs');
  await promises.stat(path).catch(() => order.push('not yet'));
  await promises.rm(lock);
  await writing;
  expect(order).toEqual(['not yet', 'written']);
});
