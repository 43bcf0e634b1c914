#!/bin/sh
# With Docker: builds the image, starts docker-compose.yml with the offline model, asks one question, ends it.
# Writes the image's digest to var/image.txt. `make image-check` shows more, and needs no engine.
set -eu
cd "$(dirname "$0")/../.."
project=hopline-check-$$
folder=$(mktemp -d)
secret() { od -An -N18 -tx1 /dev/urandom | tr -d ' \n'; }
cat > "$folder/hopline.env" <<END
REDIS_PASSWORD=$(secret)
HOPLINE_NEO4J_PASSWORD=$(secret)
HOPLINE_QDRANT_API_KEY=$(secret)
HOPLINE_FLOWER_PASSWORD=$(secret)
COMPOSE_PROFILES=offline
HOPLINE_MODEL_URL=http://offline-model:8099/v1
HOPLINE_MODEL_KEY=offline
HOPLINE_MODEL=offline
HOPLINE_EMBEDDING_MODEL=wordllama-256
END
compose() { docker compose --project-name "$project" --env-file "$folder/hopline.env" "$@"; }
end() { compose down --volumes --timeout 30 || true; rm -r "$folder"; }
trap end EXIT
compose build
mkdir -p var
docker image inspect --format '{{.Id}}' "$(compose config --images worker-interactive)" > var/image.txt
compose up --detach --wait --wait-timeout 600
mkdir "$folder/notes"
echo "The Bell Rock Lighthouse was built by Robert Stevenson." > "$folder/notes/bell-rock.txt"
chmod -R a+rX "$folder"
compose run --rm -v "$folder/notes:/notes:ro" worker-interactive ingest /notes -c notes
answer=$(compose run --rm worker-interactive ask "Who built the Bell Rock Lighthouse?" -c notes)
echo "$answer"
case $answer in *"Robert Stevenson [1]"*) ;; *) echo "the answer does not cite Robert Stevenson" >&2; exit 1 ;; esac
