"""Serves the two collections with a live Django REST Framework. Tests compare palimpsest with it.

    /usr/bin/python3 service.py DATABASE NDJSON PAGE_SIZE ACCOUNT_PAGE_SIZE

Loads records and accounts from NDJSON into a new SQLite file, or serves an existing file,
and listens on a free port of 127.0.0.1.
Prints the port in one line of JSON, and exits at the end of its standard input. The framework alone
determines the bytes of a page: dates, links, page numbers, errors, JSON.
"""

import json
import os
import socketserver
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django
from django.conf import settings

DATABASE, NDJSON, PAGE_SIZE, ACCOUNT_PAGE_SIZE = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE}},
    DEBUG_PROPAGATE_EXCEPTIONS=True,  # prints errors to standard error
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["rest_framework", "__main__"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],  # adds the missing slash
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
    ROOT_URLCONF="__main__",
    # for the browsable API, which answers clients that ask for text/html
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    TIME_ZONE="UTC",
    USE_TZ=True,
)
django.setup()

# models and the code that uses them can be defined only after the setup of Django
import rest_framework  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.urls import path  # noqa: E402
from django.utils.dateparse import parse_datetime  # noqa: E402
from rest_framework import generics, pagination, serializers  # noqa: E402


class Account(models.Model):
    screen_name = models.TextField(unique=True)
    account_creation_date = models.DateTimeField(null=True)
    profile_image_url = models.TextField()
    display_name = models.TextField()
    website = models.TextField(null=True)
    location = models.TextField()
    bio = models.TextField()


class ChangeRecord(models.Model):
    id = models.BigIntegerField(primary_key=True)
    account = models.ForeignKey(Account, models.CASCADE, related_name="data")
    data_type = models.TextField()
    # without a constraint: the preceding record may be older than the collection
    previous = models.ForeignKey("self", models.CASCADE, null=True, related_name="+", db_constraint=False)
    text = models.TextField(null=True)
    first_encountered_date = models.DateTimeField()
    diff_html = models.TextField()
    web_archive_url = models.TextField(null=True)

    class Meta:
        ordering = ["-id"]


class ChangeRecordSerializer(serializers.ModelSerializer):
    account = serializers.SlugRelatedField("screen_name", read_only=True)

    class Meta:
        model = ChangeRecord
        fields = [
            "id",
            "account",
            "data_type",
            "previous",
            "text",
            "first_encountered_date",
            "diff_html",
            "web_archive_url",
        ]


class AccountSerializer(serializers.ModelSerializer):
    data = ChangeRecordSerializer(many=True)
    data_page_count = serializers.SerializerMethodField()

    class Meta:
        model = Account
        fields = [
            "screen_name",
            "account_creation_date",
            "profile_image_url",
            "data",
            "data_page_count",
            "display_name",
            "website",
            "location",
            "bio",
        ]

    def get_data_page_count(self, account):
        return -(-len(account.data.all()) // PAGE_SIZE)


class Collection(generics.ListAPIView):
    # The methods of the interface, without HEAD. The service answers HEAD anyway.
    allowed_methods = ["GET", "POST", "OPTIONS"]


class DataList(Collection):
    queryset = ChangeRecord.objects.select_related("account")
    serializer_class = ChangeRecordSerializer
    pagination_class = type("DataPages", (pagination.PageNumberPagination,), {"page_size": PAGE_SIZE})


class AccountList(Collection):
    queryset = (
        Account.objects.annotate(first_record=models.Min("data__id"))
        .order_by(models.F("first_record").asc(nulls_last=True), "screen_name")
        .prefetch_related("data__account")
    )
    serializer_class = AccountSerializer
    pagination_class = type("AccountPages", (pagination.PageNumberPagination,), {"page_size": ACCOUNT_PAGE_SIZE})


urlpatterns = [path("rest/data/", DataList.as_view()), path("rest/account/", AccountList.as_view())]


def load():
    with open(NDJSON, "rb") as lines:
        items = [json.loads(line) for line in lines]
    with connection.schema_editor() as editor:
        editor.create_model(Account)
        editor.create_model(ChangeRecord)
    with transaction.atomic():
        for item in items:
            if "data_type" not in item:
                load_account(item)
        ids = dict(Account.objects.values_list("screen_name", "id"))
        ChangeRecord.objects.bulk_create(record_of(item, ids) for item in items if "data_type" in item)


def load_account(item):
    fields = {name: value for name, value in item.items() if name not in ("data", "data_page_count")}
    Account.objects.create(**{**fields, "account_creation_date": moment(item["account_creation_date"])})


def record_of(item, ids):
    fields = {name: value for name, value in item.items() if name not in ("account", "previous")}
    fields["first_encountered_date"] = moment(item["first_encountered_date"])
    return ChangeRecord(account_id=ids[item["account"]], previous_id=item["previous"], **fields)


def moment(text):
    return None if text is None else parse_datetime(text)


class Server(WSGIServer):
    def server_bind(self):
        # like HTTPServer, but without a DNS lookup for 127.0.0.1
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]
        self.setup_environ()


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def main():
    if not os.path.exists(DATABASE):
        load()
    server = Server(("127.0.0.1", 0), QuietHandler)
    server.set_app(get_wsgi_application())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ready = {"port": server.server_port, "django": django.__version__, "rest_framework": rest_framework.VERSION}
    print(json.dumps(ready), flush=True)
    sys.stdin.buffer.read()


main()
