// Reads patterns as JSON lines; prints the attacks that recheck (npm install recheck) finds on those that it can parse.
const { checkSync } = require('recheck');
const lines = require('fs').readFileSync(0, 'utf8').trim().split('\n');
for (const line of lines) {
  const { pattern, flags } = JSON.parse(line);
  const source = pattern.replace(/\(\?P</g, '(?<').replace(/\(\?P=(\w+)\)/g, '\\k<$1>');
  const marks = (flags & 2 ? 'i' : '') + (flags & 8 ? 'm' : '') + (flags & 16 ? 's' : '') + 'u';
  const found = checkSync(source, marks, { timeout: 4000 });
  if (found.status === 'vulnerable') {
    const pumps = found.attack.pumps.map(({ prefix, pump }) => [prefix, pump, found.attack.suffix]);
    console.log(JSON.stringify({ pattern, flags, pumps }));
  }
}
