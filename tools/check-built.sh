#!/bin/sh
# Runs the checks of what is built beside each other, because each of them uses one core.
npm run --silent check:unused &
unused=$!
npm run --silent check:packages &
packages=$!
npm run --silent check:weight
weight=$?
wait "$unused" && wait "$packages" && exit "$weight"
