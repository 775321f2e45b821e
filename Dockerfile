FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DJANGO_SETTINGS_MODULE=config.settings

WORKDIR /app
COPY requirements/production.txt requirements/production.txt
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/production.txt \
    && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin countersign \
    && install -d -o 10001 -g 10001 /var/lib/countersign

COPY manage.py CHANGELOG.md ./
COPY config config
COPY journal journal
COPY tenancy tenancy
COPY systems systems
COPY proposals proposals
COPY approvals approvals
COPY intents intents
COPY rehearsals rehearsals
COPY web web
COPY templates templates
COPY static static
COPY locale locale

RUN SECRET_KEY=used-only-while-the-image-is-built python manage.py collectstatic --noinput

USER 10001
EXPOSE 8000
CMD ["gunicorn", "config.wsgi:application", "--config=python:config.serving", "--bind=0.0.0.0:8000", "--worker-class=gthread", "--threads=16"]
